"""What models are there to begin with: servers on this machine, keys of hosted APIs, packaged models."""

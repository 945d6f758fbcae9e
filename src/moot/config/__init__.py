"""YAML files that people write: read with the line of every key, checked strictly, mistakes said in words."""

"""How far two judges agree."""

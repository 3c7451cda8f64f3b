"""From a YAML file to checked cells. The only room that uses Hydra."""

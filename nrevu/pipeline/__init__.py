"""From experiments to the jobs of Snakemake."""

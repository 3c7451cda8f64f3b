# The whole paper: snakemake --cores all
# A part of it:    snakemake --cores all --config experiments=fig1 size=quick
# Results are in results/SIZE/EXPERIMENT/; what each experiment is, in conf/experiment/.
import sys

from nrevu import needs, plan as planning, progress, scheduling, upkeep
from nrevu.mistake import Mistake

NREVU = [sys.executable, "-m", "nrevu"]

try:
    tell = progress.tell if workflow.is_main_process else None
    least = needs.least_seconds(workflow)
    plan = planning.from_workflow(config, tell=tell, least=least)
    if workflow.is_main_process:
        upkeep.prepare(workflow, plan)
except Mistake as mistake:
    progress.tell(str(mistake))
    sys.exit(2)


report: "workflow/captions/workflow.rst"


rule all:
    input:
        plan.wanted(),


include: "workflow/rules.smk"


onstart:
    scheduling.unhurried(workflow)
    progress.start(workflow, plan)


onsuccess:
    progress.finish(plan)


onerror:
    progress.fail(plan)

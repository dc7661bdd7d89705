"""What a desk's process has read after its first minutes, read before it is forked: addresses, pages, programs."""

import gc

from django.urls import reverse

from tests.faults.scenes import Intended
from tests.faults.stage import Stage, visitor

PAGES = ("operation", "repair_record", "protected_repeat", "new_operation", "leave_unresolved", "business_exception")


def warm(stage: Stage) -> None:
    """Look at every page that acts are played on; nothing is decided."""
    from escalation.celery import app

    app.loader.import_default_modules()
    app.finalize()
    for made in (Intended(stage).lost(), Intended(stage).answered(), Intended(stage).closed()):
        for page in (*PAGES, "observe", "inspect"):
            address = reverse(page, args=[made.row.number])
            for name in ("mira", "otto", "lena"):
                stage.browser(name).get(address)
            stage.browser("mira").post(address, {})
    headers = {"Authorization": f"Bearer {stage.keys['program']}"}
    visitor().get(f"/api/v1/operations/{made.operation}/standing", headers=headers)
    gc.collect()
    gc.freeze()  # what is there by now is every fork's, and stays

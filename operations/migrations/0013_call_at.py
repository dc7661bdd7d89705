"""When the next reason for a person begins to hold; of the plans there are it is the first."""

from django.db import migrations, models
from django.db.models import F, Q


def call_for_all(apps, schema_editor):
    """Whatever plan there is calls a person once more than it might have to: a call too many changes nothing."""
    apps.get_model("operations", "Due").objects.update(call_at=F("person_at"))


class Migration(migrations.Migration):
    dependencies = [("operations", "0012_closing")]

    operations = [
        migrations.AddField(model_name="due", name="call_at", field=models.DateTimeField(null=True)),
        migrations.RunPython(call_for_all, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name="due",
            index=models.Index(F("call_at"), name="due_to_call", condition=Q(call_at__isnull=False)),
        ),
    ]

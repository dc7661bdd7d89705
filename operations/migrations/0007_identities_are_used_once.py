from django.db import migrations, models


class Migration(migrations.Migration):
    """An identity names one operation whether or not what was sent carried it."""

    dependencies = [("operations", "0006_messages")]

    operations = [
        migrations.RemoveConstraint(model_name="operation", name="identity_names_one_operation"),
        migrations.AddConstraint(
            model_name="operation",
            constraint=models.UniqueConstraint(
                fields=["recipient", "identity"], name="identity_names_one_operation"
            ),
        ),
    ]

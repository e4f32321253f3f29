from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0002_index_when_evaluations_finished"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="policy",
            field=models.CharField(choices=[("scaled", "scaled"), ("backendbench", "backendbench")], default="scaled", max_length=16),
        ),
    ]

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import submissions.models
import submissions.webhooks.models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0010_decisions_of_moderators"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.CharField(default=submissions.models.new_id, editable=False, max_length=12, primary_key=True, serialize=False),
                ),
                ("url", models.CharField(max_length=500)),
                ("topics", models.JSONField(default=list)),
                ("secret", models.CharField(default=submissions.webhooks.models.new_secret, max_length=80)),
                ("active", models.BooleanField(default=True)),
                ("off_because", models.TextField(blank=True, default="", help_text="Why the site switched it off.")),
                ("failed_in_a_row", models.PositiveIntegerField(default=0, help_text="Attempts since the last that arrived.")),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={"ordering": ("created_at", "pk")},
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.CharField(default=submissions.models.new_id, editable=False, max_length=12, primary_key=True, serialize=False),
                ),
                ("topic", models.CharField(max_length=16)),
                ("key", models.CharField(max_length=120)),
                ("body", models.TextField(help_text="JSON, as it is signed and sent.")),
                (
                    "standing",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("delivered", "delivered"), ("given_up", "given up")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("status", models.PositiveSmallIntegerField(blank=True, help_text="HTTP status of the last answer.", null=True)),
                ("error", models.CharField(blank=True, default="", help_text="Why the last attempt failed.", max_length=200)),
                ("took_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "webhook",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="submissions.webhook"),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
                "indexes": [
                    models.Index(condition=models.Q(standing="waiting"), fields=["due_at"], name="waiting_deliveries"),
                    models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
                ],
                "constraints": [models.UniqueConstraint(fields=("webhook", "key"), name="one_delivery_per_webhook_and_key")],
            },
        ),
    ]

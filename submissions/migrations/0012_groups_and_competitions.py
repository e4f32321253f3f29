import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import submissions.competitions.models

ADMISSIONS = [
    ("public", "Public: everybody sees it, whoever is signed in may take part"),
    ("invitation", "By invitation: the members of its group alone see it and take part"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0011_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Group",
            fields=[
                ("slug", models.SlugField(editable=False, max_length=60, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("about", models.TextField(blank=True, default="", validators=[django.core.validators.MaxLengthValidator(2000)])),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={"ordering": ("name", "slug")},
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("is_owner", models.BooleanField(default=False)),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "group",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="submissions.group"),
                ),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={
                "ordering": ("-is_owner", "joined_at", "pk"),
                "constraints": [models.UniqueConstraint(fields=("group", "user"), name="one_membership_per_person")],
            },
        ),
        migrations.CreateModel(
            name="Competition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(editable=False, max_length=60, unique=True)),
                ("title", models.CharField(max_length=80)),
                ("admission", models.CharField(choices=ADMISSIONS, default="invitation", max_length=10)),
                ("ops", models.JSONField(default=list, help_text="Slugs of the ops, in the order in which they are shown.")),
                ("devices", models.JSONField(default=list, help_text="Slugs of the devices.")),
                ("opens_at", models.DateTimeField()),
                ("closes_at", models.DateTimeField()),
                (
                    "rules",
                    models.TextField(
                        blank=True, default="", help_text="Markdown.", validators=[django.core.validators.MaxLengthValidator(20000)]
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="competitions",
                        to="submissions.group",
                    ),
                ),
            ],
            options={
                "ordering": ("-opens_at", "pk"),
                "indexes": [models.Index(fields=["closes_at"], name="competitions_by_closing")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(closes_at__gt=models.F("opens_at")), name="it_closes_after_it_opens"),
                    models.CheckConstraint(
                        condition=models.Q(admission="public") | models.Q(group__isnull=False), name="by_invitation_means_of_a_group"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "key",
                    models.CharField(
                        default=submissions.competitions.models.new_key,
                        editable=False,
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("used", models.PositiveIntegerField(default=0, editable=False, help_text="How many people joined by it.")),
                (
                    "competition",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitations",
                        to="submissions.competition",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="submissions.group"),
                ),
            ],
            options={"ordering": ("-created_at", "pk")},
        ),
    ]

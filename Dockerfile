# One image, four roles (compose.yaml): web, build worker, device worker, and the one-off set-up of the database.
FROM python:3.12-slim-bookworm

# gcc and Python's headers: Triton compiles its launcher. bubblewrap: the sandbox of submitted code.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap gcc libc6-dev tini util-linux \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/lib/kbweb --shell /usr/sbin/nologin kbweb

WORKDIR /app
COPY pyproject.toml constraints.txt ./
COPY kbweb kbweb
COPY submissions submissions
COPY evaluator evaluator
COPY leaderboard leaderboard
COPY templates templates
COPY static static
COPY examples examples
COPY docs docs
COPY manage.py README.md LICENSE ./

# SET: "." for the site alone, ".[worker]" with torch and Triton. TORCH_INDEX: an index with the torch build that the hosts need.
ARG SET=.[worker]
ARG TORCH_INDEX=
RUN pip install --no-cache-dir --constraint constraints.txt ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} --editable "$SET"

ENV KB_PRODUCTION=true \
    KB_DATA_DIR=/var/lib/kbweb/data \
    KB_STATIC_ROOT=/app/staticfiles \
    DJANGO_SETTINGS_MODULE=kbweb.settings \
    PYTHONUNBUFFERED=1
RUN KB_PRODUCTION=true KB_SECRET_KEY=only-while-building-the-image-nothing-is-signed-with-this \
    KB_SITE_URL=https://localhost KB_DATA_DIR=/tmp/build python manage.py collectstatic --noinput \
    && rm -rf /tmp/build \
    && install -d -o kbweb -g kbweb -m 0750 /var/lib/kbweb/data

USER kbweb
EXPOSE 8000
ENTRYPOINT ["tini", "--"]
CMD ["uvicorn", "kbweb.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--lifespan", "on", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "10"]

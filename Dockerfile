# A served team in a container:
#   docker build -t moot .
#   docker run -p 8000:8000 -e MOOT_KEY=... -v "$PWD/team:/team:ro" -v moot-data:/data moot
# The team's file is /team/team.yaml; what is asked is kept in /data. deploy/compose.yaml keeps it in PostgreSQL instead.

FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md readme_of_package.py LICENSE constraints.txt ./
COPY src src
# The versions that the tests ran with, and modules compiled here: the container's user may not write beside them.
RUN python -m venv /opt/moot \
    && PIP_CONSTRAINT=/src/constraints.txt /opt/moot/bin/pip install --no-cache-dir --compile ".[postgresql]" \
    && /opt/moot/bin/pip uninstall --yes pip setuptools

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home --home-dir /home/moot moot && install -d -o moot -g moot /data /team
COPY --from=build /opt/moot /opt/moot
ENV PATH=/opt/moot/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# /healthz is red when nothing can be kept any more; asking for it needs no key.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# Others than this machine's addresses need a key, so without MOOT_KEY this ends with one line that says so.
ENTRYPOINT ["moot"]
CMD ["serve", "/team/team.yaml", "--host", "0.0.0.0", "--port", "8000", "--key-env", "MOOT_KEY", \
     "--store", "sqlite:////data/moot.db"]

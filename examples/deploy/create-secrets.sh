#!/bin/sh
# Creates the secrets of compose.yml in the folder `secrets`. Does not replace any that exist.
set -eu
cd "$(dirname "$0")"
# The folder keeps others out. The files are readable, because the containers read them as another user.
mkdir -p -m 700 secrets

create() {
  if [ ! -e "secrets/$1" ]; then printf '%s\n' "$2" >"secrets/$1"; fi
  chmod 644 "secrets/$1"
}

create halyard-secret "$(openssl rand -base64 48)"
create jwt-secret "$(openssl rand -base64 48)"
create console-key "$(openssl rand -hex 32)"
create postgres-password "$(openssl rand -hex 32)"
create database-url "postgres://halyard:$(cat secrets/postgres-password)@postgres:5432/halyard"

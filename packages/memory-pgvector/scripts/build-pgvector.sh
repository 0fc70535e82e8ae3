#!/usr/bin/env bash
# Installs the extension pgvector for the PostgreSQL server of a Debian machine: from a package if there is one for its version, else built from the source package of
# Debian 13. Does nothing when the server has it.
set -euo pipefail

oldest=0.8.0
source_release=trixie

pg_config=${PG_CONFIG:-$(command -v pg_config || true)}
[ -n "$pg_config" ] || { echo 'No pg_config: install PostgreSQL with libpq-dev first.' >&2; exit 1; }
control=$("$pg_config" --sharedir)/extension/vector.control
major=$("$pg_config" --version | grep -oE '[0-9]+' | head -1)

has_pgvector() {
  local version
  version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$control" 2>/dev/null) &&
    [ "$(printf '%s\n' "$oldest" "$version" | sort --version-sort | head -1)" = "$oldest" ] &&
    echo "PostgreSQL $major has pgvector $version."
}

has_pgvector && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "PostgreSQL $major has no pgvector $oldest or later: install it (https://github.com/pgvector/pgvector#installation)." >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
install() {
  apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

apt-get update -qq </dev/null
if apt-cache show "postgresql-$major-pgvector" >/dev/null 2>&1 && install "postgresql-$major-pgvector" && has_pgvector; then
  exit 0
fi

echo "Building pgvector for PostgreSQL $major …"
# The headers of the installed version. Another version would replace the server.
server=$(dpkg-query --show --showformat '${Version}' "postgresql-$major" 2>/dev/null || true)
install build-essential "postgresql-server-dev-$major${server:+=$server}" || install build-essential "postgresql-server-dev-$major"

# Separate package lists, so that those of the machine do not change.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -1)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$keys] $mirror $source_release main" >"$work/sources.list"
mkdir -p "$work/lists/partial" "$work/build"
own=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
cd "$work"
apt-get "${own[@]}" update -qq </dev/null
apt-get "${own[@]}" source -qq --download-only pgvector </dev/null >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
tar --extract --file "$(ls pgvector_*.orig.tar.*)" --directory build --strip-components=1

# Portable code rather than code for this processor only, and without bitcode for the JIT compiler.
make --directory build --jobs "$(nproc)" --silent OPTFLAGS= with_llvm=no PG_CONFIG="$pg_config" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
make --directory build --silent install with_llvm=no PG_CONFIG="$pg_config" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
has_pgvector || { echo 'pgvector was built, but the server does not have it.' >&2; exit 1; }

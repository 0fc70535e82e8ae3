#!/usr/bin/env bash
# Runs a command like a container with a read-only root file system:
#   container.sh <image> <node> <secrets> <workdir> <uid:gid> [NAME=value …] -- <command …>
# The process is process 1 of its own PID namespace and sees only: the files of the image, the system libraries of this machine in place of
# those of the base image, <node>, the folder <secrets> at /run/secrets, and an empty /tmp. It has no capabilities. The network is that of this machine.
set -euo pipefail

if [ "${IN_NAMESPACE:-}" != yes ]; then
  root=$(mktemp -d)
  trap 'rmdir "$root"' EXIT
  IN_NAMESPACE=yes CONTAINER_ROOT=$root unshare --mount --pid --fork --kill-child -- bash "$0" "$@" && exit 0
  exit $?
fi

image=$1 node=$2 secrets=$3 workdir=$4 user=$5
shift 5
variables=()
while [ "$1" != -- ]; do
  variables+=("$1")
  shift
done
shift

root=$CONTAINER_ROOT
read_only() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro,nosuid "$2"
}

mount --make-rprivate /
mount -t tmpfs -o mode=0755,size=1m image "$root"
for folder in /usr /bin /sbin /lib /lib64 /etc; do
  if [ -L "$folder" ]; then
    ln -s "$(readlink "$folder")" "$root$folder"
  elif [ -d "$folder" ]; then
    mkdir "$root$folder"
    read_only "$folder" "$root$folder"
  fi
done
mount -t tmpfs -o mode=0755,size=1m image "$root/usr/local"
mkdir -p "$root/usr/local/bin"
touch "$root/usr/local/bin/node"
read_only "$node" "$root/usr/local/bin/node"
mount -o remount,ro "$root/usr/local"
for entry in "$image"/*; do
  mkdir "$root/${entry##*/}"
  read_only "$entry" "$root/${entry##*/}"
done
mkdir -p "$root/run/secrets" "$root/dev" "$root/proc" "$root/tmp"
read_only "$secrets" "$root/run/secrets"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777,size=64m tmp "$root/tmp"
mount -o remount,ro "$root"

exec chroot "$root" /usr/bin/env --ignore-environment --chdir="$workdir" \
  PATH=/usr/local/bin:/usr/bin:/bin HOME=/ "${variables[@]}" \
  setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"

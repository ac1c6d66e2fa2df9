#!/bin/sh
# Make a folder with a Debian in it, and install packages there: sh root.sh FOLDER RELEASE PACKAGE ...
# Needs root, debootstrap and util-linux. RELEASE is a name, such as trixie. No service is started, and no mount stays.
set -eu
[ $# -gt 2 ] || { sed -n 2,3p "$0" >&2; exit 2; }
folder=$1 release=$2
shift 2
[ -e "$folder/etc/debian_version" ] || debootstrap --variant=minbase "$release" "$folder" ${MIRROR:-}
printf '#!/bin/sh\nexit 101\n' > "$folder/usr/sbin/policy-rc.d"  # forbids a start of services
chmod +x "$folder/usr/sbin/policy-rc.d"
printf '127.0.0.1 localhost\n127.0.1.1 suite\n' > "$folder/etc/hosts"  # Grid Engine asks for the host's name
cp /etc/resolv.conf "$folder/etc/resolv.conf"
exec unshare --mount --uts sh -euc 'folder=$1; shift; hostname suite
  mount -t proc proc "$folder/proc"; mount --bind /dev "$folder/dev"; export DEBIAN_FRONTEND=noninteractive
  chroot "$folder" apt-get -qq update; chroot "$folder" apt-get -qq install -y --no-install-recommends "$@"' sh "$folder" "$@"

# Compile batsched without intervalset: sh build.sh BATSCHED LOGURU OUT (needs Boost, RapidJSON, libzmq and GMP)
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
for file in "$1"/src/*.cpp "$1"/src/algo/*.cpp "$2"/loguru.cpp; do
    echo "$3/$(basename "$file" .cpp).o: $file; c++ -std=c++17 -O1 -w -DBATSCHED_VERSION=adapter -I'$here' -I'$1/src' -I'$2' -c \$< -o \$@"
done > "$3/Makefile"
make -C "$3" -f Makefile $(sed 's/:.*//' "$3/Makefile")
c++ "$3"/*.o -o "$3/batsched" -lzmq -lgmpxx -lgmp -lboost_locale -lboost_regex -lboost_system -ldl -lpthread

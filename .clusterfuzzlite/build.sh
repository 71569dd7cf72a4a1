#!/usr/bin/env bash
# Builds the fuzz targets for ClusterFuzzLite and OSS-Fuzz: into $OUT go the
# programs, each with its seeds and the dictionary.
#
# The same script runs on any machine that has what `cargo xtask fuzz` needs and
# `zip`:
#
#   OUT=$(mktemp -d) .clusterfuzzlite/build.sh
#
# SANITIZER          address (default) or none; the image sets it
# DUIPAI_FUZZ_BUILD  a target directory to build in, such as one that is built
#                    already
# DUIPAI_FUZZ_WASM   0 leaves out what needs a WebAssembly engine
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# In the image, this script stands beside the project's folder.
if [ -d "$here/../fuzz" ]; then cd "$here/.."; else cd "$here/duipai"; fi

: "${OUT:?names the folder for the programs}"
for tool in cargo zip; do
  command -v "$tool" >/dev/null || { echo "$tool is missing" >&2; exit 2; }
done
mkdir -p "$OUT"
out=$(cd "$OUT" && pwd)
sanitizer=${SANITIZER:-address}
build=${DUIPAI_FUZZ_BUILD:-target/fuzz/build-$sanitizer}

# A sanitizer needs a nightly toolchain. In the image that is the only one;
# elsewhere it is one of several.
cargo=(cargo)
if [ "$sanitizer" != none ] && rustup run nightly cargo --version >/dev/null 2>&1; then
  cargo=(rustup run nightly cargo)
fi
features=(--features wasm)
[ "${DUIPAI_FUZZ_WASM:-1}" = 0 ] && features=()
"${cargo[@]}" fuzz build --sanitizer "$sanitizer" --target-dir "$build" "${features[@]}"

host=$("${cargo[@]}" -vV | sed -n 's/^host: //p')
for folder in corpus/*/; do
  target=$(basename "$folder")
  program=$build/$host/release/$target
  # `corpus/vectors` is no target's; the canary fails in every run, on purpose,
  # and is for `cargo xtask fuzz --smoke`.
  if [ ! -f "$program" ] || [ "$target" = canary ]; then continue; fi
  cp "$program" "$out/"
  cp fuzz/duipai.dict "$out/$target.dict"
  rm -f "$out/${target}_seed_corpus.zip"
  find "$folder" -type f | sort | zip --quiet --junk-paths -@ "$out/${target}_seed_corpus.zip"
done
# A build that leaves out a target is none.
for target in split normalize batch_verdict send_verdict event_plan case_file \
  subject_batch subject_event; do
  [ -x "$out/$target" ] || { echo "$target was not built" >&2; exit 1; }
done

#!/usr/bin/env bash
# tests/report.sh BINARY: makes a report from a quick run and has others judge it: the Nu HTML checker (vnu-jar from npm, Java), and
# axe-core in headless Chromium, light and dark, at the widths of a desk and a phone. What cannot be had is skipped, and said.
# REPORT_TOOLS is the folder that the tools of npm are kept in.
set -euo pipefail
binary="$(realpath "${1:?tests/report.sh BINARY}")"
here="$(cd "$(dirname "$0")/.." && pwd)"
tools="${REPORT_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/weightlab-report-tools}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp "$here/experiments/lottery_digits.ron" "$here/experiments/faults_digits.ron" "$work"
cd "$work"
# Names that are markup or turn the direction, lines of Windows, and runs that are missing.
printf '%s\r\n' '(name: "</title><script>\u{202e}\"&", data: Iris(), net: Mlp(hidden: [4]), seeds: [1, 2], arms: [' \
    '(name: "<svg onload=x> & \"q\"", plan: [Train("2ep"), Test]), (name: "שלום عربي", plan: [Train("1ep"), Test])])' > hostile.ron
for name in lottery_digits faults_digits hostile; do
    case "$name" in
    lottery_digits) set=(--set 'arms.*.plan.**.Train=20it' --set 'seeds=[1, 2]') ;;
    faults_digits) set=(--set 'seeds=[1, 2]' --set 'arms.*.plan.**.Campaign.trials=Fixed(60)') ;;
    *) set=() && "$binary" run hostile.ron --seed 1 > /dev/null ;;
    esac
    [ "$name" = hostile ] || "$binary" run "$name.ron" "${set[@]}" > /dev/null
    "$binary" report "$name.ron" "${set[@]}" --to "$name.html"
    [ "$(stat -c %s "$name.html")" -lt 10000000 ] || { echo "$name.html is larger than 10 MB"; exit 1; }
done
if ! command -v npm > /dev/null || ! { mkdir -p "$tools" && cd "$tools" \
    && npm install --silent --no-fund --no-audit --ignore-scripts vnu-jar@26.9.27 axe-core@4.14.1 puppeteer-core@24.43.1 > /dev/null 2>&1; }; then
    echo "report: SKIPPED the HTML checker and axe: npm cannot install vnu-jar, axe-core and puppeteer-core"
    exit 0
fi
cd "$work"
if command -v java > /dev/null; then
    java -jar "$tools/node_modules/vnu-jar/build/dist/vnu.jar" --Werror ./*.html
    echo "report: the Nu HTML checker finds nothing"
else
    echo "report: SKIPPED the HTML checker: there is no java"
fi
chromium="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
if [ -z "$chromium" ]; then
    echo "report: SKIPPED axe: there is no Chromium"
    exit 0
fi
NODE_PATH="$tools/node_modules" node "$here/tests/report.js" "$chromium" "$work/profile" ./*.html

# Installs the missing contenders of the thumbnails. Sourced, not run; sets `venv`.

venv=$root/Benchmarks/.build/thumbnails-venv

install_contenders() {
    local wanted=$root/Benchmarks/thumbnails/requirements.txt
    if ! cmp -s "$wanted" "$venv/installed.txt"; then
        command -v python3 >/dev/null || die "there is no python3 in PATH; it has to be 3.9 or later"
        say "installing the others into $venv"
        python3 -m venv --clear "$venv" || die "python3 has no venv; sudo apt-get install python3-venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
        cp "$wanted" "$venv/installed.txt"
    fi
    if ! "$venv/bin/python" -c 'import wand.image' 2>/dev/null; then
        apt-get install -qq -y libmagickwand-6.q16-6 >/dev/null 2>&1 || say "ImageMagick is not here, and is left out"
    fi
}

# Completion for bash: installed as share/bash-completion/completions/weft.
_weft() {
    local word=${COMP_WORDS[COMP_CWORD]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "info doctor env cache report --help --version" -- "$word"))
    elif [ "${COMP_WORDS[1]}" = cache ]; then
        COMPREPLY=($(compgen -W "size list verify clear --help" -- "$word"))
    elif [ "${COMP_WORDS[1]}" = report ]; then
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _weft weft

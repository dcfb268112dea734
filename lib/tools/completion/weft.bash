# Completion for bash: installed as share/bash-completion/completions/weft.

# Sets `at` to the place of the program in `weft SUBCOMMAND [OPTIONS] [--] PROGRAM`, or of the word that is being
# completed. Arguments: the options that are followed by a value.
_weft_find_program() {
    at=2
    while [ "$at" -lt "$COMP_CWORD" ]; do
        case ${COMP_WORDS[at]} in
        --) at=$((at + 1)) && return ;;
        -*) [[ " $* " == *" ${COMP_WORDS[at]} "* ]] && at=$((at + 1)) ;;
        *) return ;;
        esac
        at=$((at + 1))
    done
}

_weft() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options='' with_value='' at
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "info doctor env cache report bench debug check prof --help --version" -- "$word"))
        return
    fi
    case ${COMP_WORDS[1]} in
    cache)
        COMPREPLY=($(compgen -W "size list verify clear --help" -- "$word"))
        return
        ;;
    doctor)
        [ "$before" = --patience ] || COMPREPLY=($(compgen -W "--patience --help" -- "$word"))
        return
        ;;
    report | bench)
        [ "${COMP_WORDS[1]}" = report ] && options="-k --help" || options="--only --patience --help"
        [ "$before" = --patience ] || [ "$before" = -k ] && return
        COMPREPLY=($(compgen -f -W "$options" -- "$word"))
        return
        ;;
    debug) options="--lldb" ;;
    check) options="--kinds --json --sarif --suppress" with_value="--kinds --json --sarif --suppress" ;;
    prof) options="--json -o --html --measure" with_value="-o --html" ;;
    *)
        COMPREPLY=($(compgen -W "--help" -- "$word"))
        return
        ;;
    esac
    _weft_find_program $with_value
    if [ "$at" -lt "$COMP_CWORD" ] || [[ " $with_value " == *" $before "* && $before != --kinds ]]; then
        COMPREPLY=($(compgen -f -- "$word")) # arguments of the program, or a file
    elif [ "$before" = --kinds ]; then
        COMPREPLY=($(compgen -W "bounds align arith uninit api barrier race nan overflow leaks" -- "$word"))
    elif [ "$before" = -- ]; then
        COMPREPLY=($(compgen -c -f -- "$word"))
    else
        COMPREPLY=($(compgen -c -f -W "$options -- --help" -- "$word"))
    fi
}
complete -o filenames -F _weft weft

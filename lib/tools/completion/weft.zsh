#compdef weft
# Completion for zsh: installed as share/zsh/site-functions/_weft, or where WEFT_ZSH_DIR says.

# Completes the program and its arguments in `SUBCOMMAND [OPTIONS] -- PROGRAM`. Fails where there is no such `--`.
_weft_program() {
    local -i at=2
    while ((at < CURRENT)); do
        case $words[at] in
        --)
            shift at words
            ((CURRENT -= at))
            _normal
            return 0
            ;;
        -o | --html | --kinds | --sarif | --suppress) ((at += 2)) ;;
        --json) [[ $words[1] == check ]] && ((at += 2)) || ((at++)) ;;
        -*) ((at++)) ;;
        *) return 1 ;;
        esac
    done
    return 1
}

_weft() {
    local curcontext="$curcontext" state
    local -a subcommands program
    subcommands=(
        'info:the device, the compiler, the cache and the settings'
        "doctor:why a program doesn't see Weft, or can't use it"
        'env:the variables that select this Weft'
        'cache:the disk cache of compiled programs'
        'report:what the vectorizer made of each line of a kernel'
        "bench:a minute's benchmark, beside the other drivers"
        'debug:starts gdb or lldb so that it sees kernels'
        'check:what is wrong in the kernels of a program'
        'prof:what the kernels of a program took, and what limits them'
    )
    program=('(-)1:program:_command_names -e' '*::argument:_normal')
    _arguments -C '(- *)--help[say what there is]' '(- *)--version[say which version this is]' \
        '1:subcommand:->subcommand' '*::argument:->argument' && return
    case $state in
    subcommand) _describe -t commands subcommand subcommands ;;
    argument)
        [[ $words[1] == (debug|check|prof) ]] && _weft_program && return
        case $words[1] in
        cache)
            local -a actions=('size:how many entries there are, and their bytes' 'list:a line for each entry'
                'verify:read all entries' 'clear:remove all entries')
            [[ $PREFIX == -* ]] && _arguments '--help[say more]' || _describe -t actions action actions
            ;;
        report) _arguments '--help[say more]' '-k[the kernel]:kernel:' '*:source:_files' ;;
        doctor) _arguments '--help[say more]' '--patience[so long may a driver be silent]:seconds:' ;;
        bench)
            _arguments '--help[say more]' '--only[no drivers but this Weft and those that are named]' \
                '--patience[so long may a driver be silent]:seconds:' '*:vendors:_files'
            ;;
        debug) _arguments -S -A '-*' '--help[say more]' '--lldb[lldb instead of gdb]' $program ;;
        check)
            _arguments -S -A '-*' '--help[say more]' \
                '--kinds[what to look for]:kinds:_sequence compadd - bounds align arith uninit api barrier race nan overflow leaks' \
                '--json[write one finding a line]:file:_files' '--sarif[write SARIF]:file:_files' \
                '--suppress[findings to leave out]:file:_files' $program
            ;;
        prof)
            _arguments -S -A '-*' '--help[say more]' '--json[print all numbers]' '-o[write to a file]:file:_files' \
                '--html[write a page, too]:file:_files' '--measure[measure again what this machine can do]' $program
            ;;
        *) _arguments '--help[say more]' ;;
        esac
        ;;
    esac
}

_weft "$@"

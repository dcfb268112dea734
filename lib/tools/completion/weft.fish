# Completion for fish: installed as share/fish/vendor_completions.d/weft.fish.

function __weft_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# Are the words behind the options of `weft SUBCOMMAND` a program and its arguments? Then they are printed.
function __weft_program
    set -l words (commandline -opc)[3..-1]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                break
            case -o --html --kinds --sarif --suppress
                set -e words[1]
            case --json
                __weft_is check; and set -e words[1]
            case '-*'
            case '*'
                break
        end
        set -e words[1]
    end
    set -q words[1]; and printf '%s\n' $words
end

function __weft_complete_program
    set -l words (__weft_program)
    complete -C "$(string escape -- $words (commandline -ct) | string join ' ')"
end

complete -c weft -n 'not __weft_is info doctor env cache report bench debug check prof' -f
complete -c weft -n __fish_use_subcommand -l version -d 'Say which version this is'
complete -c weft -l help -n 'not __weft_program >/dev/null' -d 'Say more'

set -l first 'test (count (commandline -opc)) -eq 1'
complete -c weft -n $first -f -a info -d 'The device, the compiler, the cache and the settings'
complete -c weft -n $first -f -a doctor -d "Why a program doesn't see Weft, or can't use it"
complete -c weft -n $first -f -a env -d 'The variables that select this Weft'
complete -c weft -n $first -f -a cache -d 'The disk cache of compiled programs'
complete -c weft -n $first -f -a report -d 'What the vectorizer made of each line of a kernel'
complete -c weft -n $first -f -a bench -d "A minute's benchmark, beside the other drivers"
complete -c weft -n $first -f -a debug -d 'Starts gdb or lldb so that it sees kernels'
complete -c weft -n $first -f -a check -d 'What is wrong in the kernels of a program'
complete -c weft -n $first -f -a prof -d 'What the kernels of a program took, and what limits them'

complete -c weft -n '__weft_is info doctor env' -f
complete -c weft -n '__weft_is cache' -f -a 'size list verify clear'
complete -c weft -n '__weft_is report' -s k -x -d 'The kernel'
complete -c weft -n '__weft_is bench' -l only -d 'No drivers but this Weft and those that are named'
complete -c weft -n '__weft_is bench doctor' -l patience -x -d 'So many seconds may a driver be silent'
complete -c weft -n '__weft_is debug; and not __weft_program >/dev/null' -l lldb -d 'lldb instead of gdb'
complete -c weft -n '__weft_is check; and not __weft_program >/dev/null' -l kinds -x -a 'bounds align arith uninit api barrier race nan overflow leaks' -d 'What to look for'
complete -c weft -n '__weft_is check; and not __weft_program >/dev/null' -l json -r -d 'Write one finding a line'
complete -c weft -n '__weft_is check; and not __weft_program >/dev/null' -l sarif -r -d 'Write SARIF'
complete -c weft -n '__weft_is check; and not __weft_program >/dev/null' -l suppress -r -d 'Findings to leave out'
complete -c weft -n '__weft_is prof; and not __weft_program >/dev/null' -l json -d 'Print all numbers'
complete -c weft -n '__weft_is prof; and not __weft_program >/dev/null' -s o -r -d 'Write to a file'
complete -c weft -n '__weft_is prof; and not __weft_program >/dev/null' -l html -r -d 'Write a page, too'
complete -c weft -n '__weft_is prof; and not __weft_program >/dev/null' -l measure -d 'Measure again what this machine can do'
complete -c weft -n '__weft_is debug check prof; and not __weft_program >/dev/null' -x -a '(__fish_complete_command)'
complete -c weft -n '__weft_is debug check prof; and __weft_program >/dev/null' -x -a '(__weft_complete_program)'

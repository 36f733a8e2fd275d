#%Module
# rollcall's modulefile for Environment Modules, installed as
# PREFIX/share/modulefiles/rollcall/VERSION:
#    module use PREFIX/share/modulefiles
#    module load rollcall
# It finds PREFIX by its own place, through symbolic links too.  A copy elsewhere does
# not: there the second line says where rollcall is.
set version [file tail $ModulesCurrentModulefile]
set prefix /opt/rollcall/$version

# 'normalize' follows every link but one in the last place: so that is another.
set self [file dirname [file normalize $ModulesCurrentModulefile/x]]
set tree [file dirname [file dirname [file dirname [file dirname $self]]]]
if {[file dirname [file dirname $self]] eq "$tree/share/modulefiles"
    && [file isfile $tree/bin/rollcall]} {
    set prefix $tree
}
if {[module-info mode load] && ![file isfile $prefix/bin/rollcall]} {
    puts stderr "there is no $prefix/bin/rollcall: name its prefix in $ModulesCurrentModulefile"
    break
}

module-whatis "Name: rollcall"
module-whatis "Version: $version"
module-whatis "Description: characterizes the hardware events of whole machines"
proc ModulesHelp {} {
    puts stderr "rollcall counts every hardware event of a machine over kernels whose work is known, and"
    puts stderr "says what each event measures.  Begin with 'rollcall doctor'; 'rollcall help' lists the rest."
}

conflict rollcall
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
append-path MANPATH "" ;# an empty entry: the system's own pages stay
set file $prefix/share/bash-completion/completions/rollcall
if {[module-info shell bash] && [file isfile $file]} {
    source-sh bash $file
}

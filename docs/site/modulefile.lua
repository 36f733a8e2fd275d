-- rollcall's modulefile for Lmod, installed as PREFIX/share/modulefiles/rollcall/VERSION.lua:
--    module use PREFIX/share/modulefiles
--    module load rollcall
-- It finds PREFIX by its own place, through symbolic links too.  A copy elsewhere does
-- not: there the next line says where rollcall is.
local prefix = "/opt/rollcall/" .. myModuleVersion()

local tree = abspath(myFileName()):match("^(.*)/share/modulefiles/[^/]+/[^/]+$")
if tree and isFile(pathJoin(tree, "bin/rollcall")) then
   prefix = tree
end
if mode() == "load" and not isFile(pathJoin(prefix, "bin/rollcall")) then
   LmodError("there is no ", prefix, "/bin/rollcall: name its prefix in ", myFileName())
end

whatis("Name: rollcall")
whatis("Version: " .. myModuleVersion())
whatis("Description: characterizes the hardware events of whole machines")
help([[
rollcall counts every hardware event of a machine over kernels whose work is known, and
says what each event measures.  Begin with 'rollcall doctor'; 'rollcall help' lists the rest.
]])

conflict("rollcall")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
append_path("MANPATH", "") -- an empty entry: the system's own pages stay
local file = pathJoin(prefix, "share/bash-completion/completions/rollcall")
if myShellName() == "bash" and isFile(file) then
   source_sh("bash", "'" .. file:gsub("'", "'\\''") .. "'") -- Lmod hands it to bash as it is
end

# FT of the NAS parallel benchmarks, with made-up times: communication does not take more than computation below 128
# processes.
machine ghz=3.0 memory=80 alpha=2e-6 beta=1e-9
noise 0.01
kernel fftz2 instructions=2e11/p cpi=0.8 memory=5e8/p bf=0.3
kernel evolve instructions=2e10/p cpi=1.2 memory=5e8/p bf=0.5
collective transpose operation=Alltoall calls=20 size=2e9/p

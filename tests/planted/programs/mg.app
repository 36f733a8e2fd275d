# MG of the NAS parallel benchmarks, with made-up times: communication takes more than computation above 20 processes.
machine ghz=3.0 memory=80 alpha=2e-6 beta=1e-9
noise 0.01
kernel resid instructions=2.4e10/p cpi=0.8 memory=1.3e8/p bf=0.5
kernel psinv instructions=1.0e10/p cpi=0.8 memory=0.8e8/p bf=0.5
message comm3 calls=3e4*p bytes=6e9*p^(1/3)

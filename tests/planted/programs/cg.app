# CG of the NAS parallel benchmarks, with made-up times: communication takes more than computation above 50 processes.
machine ghz=3.0 memory=80 alpha=2e-6 beta=1e-9
noise 0.01
kernel conj_grad instructions=3.35e10/p cpi=1.1 memory=1e9/p bf=0.3
message transpose calls=5e4*p bytes=4e8*p
message sums calls=2e4*p*log2(p)

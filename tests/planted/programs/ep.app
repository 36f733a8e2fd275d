# EP of the NAS parallel benchmarks, with made-up times: it hardly communicates.
machine ghz=3.0 memory=80 alpha=2e-6 beta=1e-9
noise 0.01
kernel gauss instructions=3e11/p cpi=0.9
collective sums operation=Allreduce calls=3 size=80

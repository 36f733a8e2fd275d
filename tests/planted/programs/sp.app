# SP of the NAS parallel benchmarks.  The bytes that it sends are published; machine and times are made up, so that
# communication takes more than computation above 20 processes, as published.
machine ghz=3.0 memory=80 alpha=2e-6 beta=5e-9
noise 0.01
kernel x_solve instructions=6.13e10/p cpi=0.9 memory=1e8/p bf=0.2
kernel y_solve instructions=6.13e10/p cpi=0.9 memory=1e8/p bf=0.2
kernel rhs instructions=2e10/p cpi=0.7 memory=1e8/p bf=0.4
message copy_faces calls=4e4*p bytes=3.05e8*p+3.15e9

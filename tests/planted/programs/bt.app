# BT of the NAS parallel benchmarks, with made-up times: about 80 % of its time is computation below 40 processes, and
# a part of that waits for memory.
machine ghz=3.0 l1=1.3 l2=4 l3=15 memory=85 alpha=2e-6 beta=1.5e-9
noise 0.01
kernel x_solve instructions=6e10/p cpi=0.8 l3=5e8/p memory=2e8/p bf=0.45 imbalance=0.03
kernel y_solve instructions=6e10/p cpi=0.8 l3=5e8/p memory=2e8/p bf=0.45 imbalance=0.03
kernel z_solve instructions=6e10/p cpi=0.8 l3=5e8/p memory=3e8/p bf=0.55 imbalance=0.03
kernel rhs instructions=3e10/p cpi=0.7 memory=4e8/p bf=0.4
message copy_faces calls=2e4*p bytes=7e7*p^(3/2)+2e9

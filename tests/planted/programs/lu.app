# LU of the NAS parallel benchmarks.  The bytes that it sends are published; machine and times are made up, so that
# the time falls until 84 processes, and then rises slowly.
machine ghz=3.0 memory=80 alpha=2e-6 beta=1.8e-10
noise 0.01
kernel blts instructions=1.2e11/p cpi=0.9 memory=4e8/p bf=0.2
kernel buts instructions=1.1e11/p cpi=0.9 memory=4e8/p bf=0.2
kernel rhs instructions=0.8e11/p cpi=0.7 memory=6e8/p bf=0.4
message exchange calls=3.1e5*p bytes=6.52e7*p+5.92e9
message norm calls=5e5*p*log2(p)

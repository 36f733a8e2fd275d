# HOMME, a dynamical core, with made-up times, on p ranks and a cube whose faces have n * n columns: what is sent by
# broadcasts is constant (published: 24 KB in all), and point to point grows with p.
machine ghz=2.5 memory=80 alpha=2e-6 beta=2e-10
noise 0.01
kernel limited_gradient instructions=3e6*6*n^2/p cpi=0.7 memory=2e4*6*n^2/p bf=0.6
kernel transport_integrals instructions=5e6*6*n^2/p cpi=0.7 memory=2e4*6*n^2/p bf=0.2
message boundary calls=2.4e4*p bytes=3e5*n*p^(1/2)
collective parameters operation=Bcast calls=3 size=8192
collective norms operation=Allreduce calls=20 size=8

# SPDX-License-Identifier: LGPL-2.1-or-later
# For a repository of Spack: packages/hlrc/package.py. The archive is that of "make dist".
from spack.package import *


class Hlrc(AutotoolsPackage):
    """Shared memory across the processes of a cluster: home-based lazy release consistency."""

    homepage = "https://hlrc.example"
    url = "https://hlrc.example/hlrc-1.0.0.tar.gz"

    license("LGPL-2.1-or-later")

    version("1.0.0")

    variant("libsigsegv", default=True, description="Page faults by libsigsegv; the library is then under the GPL")
    variant("verbs", default=True, description="RDMA adapters, by libibverbs")
    variant("ofi", default=True, description="Other networks, by libfabric")
    variant("pmix", default=True, description="Jobs of mpirun and srun")
    variant("hwloc", default=True, description="Binding along NUMA nodes")
    variant("zstd", default=True, description="Compressed checkpoints and traces")

    depends_on("c", type="build")
    depends_on("perl", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libsigsegv", when="+libsigsegv")
    depends_on("rdma-core", when="+verbs")
    depends_on("libfabric", when="+ofi")
    depends_on("pmix@4:", when="+pmix")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("zstd", when="+zstd")

    def configure_args(self):
        args = []
        args += self.with_or_without("libsigsegv")
        args += self.with_or_without("libibverbs", variant="verbs")
        args += self.with_or_without("libfabric", variant="ofi")
        args += self.with_or_without("pmix")
        args += self.with_or_without("hwloc")
        args += self.with_or_without("zstd")
        return args

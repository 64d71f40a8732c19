#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""pod.py MANIFEST PART ROOT NETWORK HOST FOLDER PROFILE: the configuration (OCI, for runc) of the first container of a
pod, as a kubelet would make it from the manifest's pod template.

PART     Launcher, Worker, or StatefulSet
ROOT     root file system: the "image"
NETWORK  path of the pod's network namespace
HOST     name of the pod
FOLDER   with a folder for each secret (or `ssh`, which the MPI operator mounts), and `files`: lines "MOUNT SOURCE" of
         what the image has besides
PROFILE  filter of system calls of seccompProfile RuntimeDefault, in the format of Docker, Podman and Kubernetes
"""
import json
import sys

import yaml
from filter import rules_of

SIZES = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
SHM = 64 << 20  # of a container that asks for no other
LOCKED = 8 << 20  # bytes of memory


def template(manifest, part):
    with open(manifest, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            spec = document["spec"]
            if document["kind"] == part:
                return spec["template"]["spec"], {}
            if document["kind"] == "MPIJob":
                return spec["mpiReplicaSpecs"][part]["template"]["spec"], {"ssh": spec["sshAuthMountPath"]}
    sys.exit(f"{manifest}: no {part}")


def tmpfs(mount, size, mode="1777"):
    return {
        "destination": mount,
        "type": "tmpfs",
        "source": "tmpfs",
        "options": ["nosuid", f"mode={mode}", f"size={size}"],
    }


def bind(mount, source):
    return {"destination": mount, "type": "bind", "source": source, "options": ["rbind", "ro"]}


def volume(description, mount, folder):
    if "secret" in description:
        return bind(mount, f"{folder}/{description['secret']['secretName']}")
    limit = description["emptyDir"].get("sizeLimit", "1Gi")
    return tmpfs(mount, int(limit[:-2]) * SIZES[limit[-2:]])


def mounts(pod, container, secrets, folder):
    volumes = {v["name"]: v for v in pod.get("volumes", [])}
    result = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        tmpfs("/dev", 65536 << 10, "755"),
        {"destination": "/dev/pts", "type": "devpts", "source": "devpts", "options": ["newinstance", "ptmxmode=0666"]},
        tmpfs("/dev/shm", SHM),
        {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": ["nosuid", "noexec", "nodev", "ro"]},
    ]
    with open(f"{folder}/files", encoding="utf-8") as file:
        result += [bind(*line.split()) for line in file]
    result += [bind(mount, f"{folder}/{name}") for name, mount in secrets.items()]
    for m in container.get("volumeMounts", []):
        result = [r for r in result if r["destination"] != m["mountPath"]]
        result.append(volume(volumes[m["name"]], m["mountPath"], folder))
    return result


def system_calls(profile):
    with open(profile, encoding="utf-8") as file:
        given = json.load(file)
    keys = ("names", "action", "args", "errnoRet")
    rules = [{k: r[k] for k in keys if r.get(k) is not None} for r in rules_of(given)]
    return {
        "defaultAction": given["defaultAction"],
        "defaultErrnoRet": given.get("defaultErrnoRet", 1),
        "syscalls": rules,
    }


def main():
    manifest, part, root, network, host, folder, profile = sys.argv[1:]
    pod, secrets = template(manifest, part)
    container = pod["containers"][0]
    security = container["securityContext"]
    if security["capabilities"]["drop"] != ["ALL"] or security["seccompProfile"]["type"] != "RuntimeDefault":
        sys.exit(f"{manifest}: privileges that this test does not give")
    namespaces = [{"type": t} for t in ("pid", "ipc", "uts", "mount")] + [{"type": "network", "path": network}]
    config = {
        "ociVersion": "1.0.2",
        "hostname": host,
        "root": {"path": root, "readonly": security["readOnlyRootFilesystem"]},
        "process": {
            "user": {"uid": security["runAsUser"], "gid": security["runAsGroup"]},
            "args": container["command"] + container.get("args", []),
            "env": ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME=/home/work"],
            "cwd": "/home/work",
            "capabilities": {},
            "noNewPrivileges": not security["allowPrivilegeEscalation"],
            "rlimits": [{"type": "RLIMIT_MEMLOCK", "hard": LOCKED, "soft": LOCKED}],
        },
        "mounts": mounts(pod, container, secrets, folder),
        "linux": {
            "namespaces": namespaces,
            "seccomp": system_calls(profile),
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        },
    }
    json.dump(config, sys.stdout, indent=1)


main()

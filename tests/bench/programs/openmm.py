"""OpenMM's OpenCL platform: ten steps of a simulation a call. The first call includes its kernels. Forces at the start are compared
with those of OpenMM's reference platform."""
from .measure import Skipped

IMPORTS = ["openmm", "numpy"]
PYPI = ["openmm", "numpy"]
DEBIAN = ["python3-simtk", "libopenmm-plugins"]
APART = 0.36  # nm between neighbours at the start


def grid(side):
    """Positions that are near to a lattice's."""
    import numpy as np
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return APART * (places + 0.1 * np.random.default_rng(1).random(places.shape))


def charged(mm, side, method, charge):
    """side^3 particles with alternating charges in a periodic box."""
    system, force = mm.System(), mm.NonbondedForce()
    force.setNonbondedMethod(method)
    force.setCutoffDistance(0.9)
    force.setUseSwitchingFunction(True)  # without it, the force jumps where rounding decides whether a pair counts
    force.setSwitchingDistance(0.8)
    edge = side * APART
    system.setDefaultPeriodicBoxVectors((edge, 0, 0), (0, edge, 0), (0, 0, edge))
    for i in range(side ** 3):
        system.addParticle(39.9)
        force.addParticle(charge if (i + i // side + i // side ** 2) % 2 else -charge, 0.3, 0.8)
    system.addForce(force)
    return system


def implicit(mm, side):
    """Charges in an implicit solvent, each pair computed."""
    system, force, solvent = mm.System(), mm.NonbondedForce(), mm.GBSAOBCForce()
    force.setNonbondedMethod(mm.NonbondedForce.NoCutoff)
    for i in range(side ** 3):
        charge = 0.2 if i % 2 else -0.2
        system.addParticle(20)
        force.addParticle(charge, 0.3, 0.8)
        solvent.addParticle(charge, 0.15, 0.8)
    system.addForce(force)
    system.addForce(solvent)
    return system


def chain(mm, side):
    """One long molecule: bonds, angles, torsions, and a cutoff without a box."""
    system, bonds, angles, torsions = mm.System(), mm.HarmonicBondForce(), mm.HarmonicAngleForce(), mm.PeriodicTorsionForce()
    force = mm.NonbondedForce()
    force.setNonbondedMethod(mm.NonbondedForce.CutoffNonPeriodic)
    n = side ** 3
    for i in range(n):
        system.addParticle(12)
        force.addParticle(0, 0.25, 0.4)
        if i + 1 < n:
            bonds.addBond(i, i + 1, APART, 1000)
        if i + 2 < n:
            angles.addAngle(i, i + 1, i + 2, 2.5, 50)
        if i + 3 < n:
            torsions.addTorsion(i, i + 1, i + 2, i + 3, 3, 0.5, 2)
    force.createExceptionsFromBonds([(i, i + 1) for i in range(n - 1)], 0.5, 0.5)
    for f in force, bonds, angles, torsions:
        system.addForce(f)
    return system


def systems(mm, short):
    side = 8 if short else 14
    yield "PME", charged(mm, side, mm.NonbondedForce.PME, 0.2), side, {}
    if short:
        return
    yield "cutoff", charged(mm, side, mm.NonbondedForce.CutoffPeriodic, 0.2), side, {}
    yield "Lennard-Jones", charged(mm, side, mm.NonbondedForce.CutoffPeriodic, 0.0), side, {}
    yield "PME double", charged(mm, 12, mm.NonbondedForce.PME, 0.2), 12, {"Precision": "double"}
    yield "implicit solvent", implicit(mm, 8), 8, {}
    yield "chain", chain(mm, 12), 12, {}


def measure(cases):
    import openmm as mm
    mm.Platform.loadPluginsFromDirectory(mm.Platform.getDefaultPluginsDirectory())
    names = [mm.Platform.getPlatform(i).getName() for i in range(mm.Platform.getNumPlatforms())]
    if "OpenCL" not in names:
        raise Skipped("this OpenMM has no OpenCL platform")

    def context(system, side, platform, properties):
        c = mm.Context(system, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName(platform), properties)
        c.setPositions(grid(side))
        return c

    for name, system, side, properties in systems(mm, cases.short):
        made = []

        def call(system=system, side=side, properties=properties, made=made):
            if not made:
                made.append(context(system, side, "OpenCL", properties))
            made[0].getIntegrator().step(10)
            made[0].getState(getPositions=True)

        def check(_, system=system, side=side, properties=properties, made=made):
            made[0].setPositions(grid(side))
            got = made[0].getState(getForces=True).getForces(asNumpy=True)._value
            want = context(system, side, "Reference", {}).getState(getForces=True).getForces(asNumpy=True)._value
            apart = abs(got - want).max() / abs(want).max()
            return None if apart < 2e-3 else f"a force is {apart:.2g} of the largest one apart"
        cases.time(name, call, check=check)

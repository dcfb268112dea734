"""OpenMM's OpenCL platform beside its reference: 216 charged particles, forces compared, then energy kept over 200 steps."""
import sys
from common import expect, skip

try:
    import openmm
    from openmm import unit
except ImportError:
    skip("python3-simtk is not installed for " + sys.executable)
openmm.Platform.loadPluginsFromDirectory(openmm.Platform.getDefaultPluginsDirectory())
names = [openmm.Platform.getPlatform(i).getName() for i in range(openmm.Platform.getNumPlatforms())]
if "OpenCL" not in names:
    skip("libopenmm-plugins is not installed")

SIDE, APART = 6, 0.35  # particles along an edge, nm
system = openmm.System()
force = openmm.NonbondedForce()
force.setNonbondedMethod(openmm.NonbondedForce.PME)
force.setCutoffDistance(0.9)
edge = SIDE * APART
system.setDefaultPeriodicBoxVectors((edge, 0, 0), (0, edge, 0), (0, 0, edge))
positions = []
for i in range(SIDE ** 3):
    x, y, z = i % SIDE, i // SIDE % SIDE, i // SIDE ** 2
    system.addParticle(39.9)
    force.addParticle(0.2 if (x + y + z) % 2 else -0.2, 0.3, 0.8)
    positions.append([APART * (x + 0.1 * ((7 * i) % 11) / 11), APART * y, APART * (z + 0.1 * ((5 * i) % 13) / 13)])
system.addForce(force)


def context(platform):
    c = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform))
    c.setPositions(positions)
    return c


def forces(c):
    return c.getState(getForces=True).getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)


def energy(c):
    state = c.getState(getEnergy=True)
    return (state.getKineticEnergy() + state.getPotentialEnergy()).value_in_unit(unit.kilojoule_per_mole)


ours, reference = context("OpenCL"), context("Reference")
device = openmm.Platform.getPlatformByName("OpenCL").getPropertyValue(ours, "OpenCLPlatformName")
expect(device == "Weft", f"OpenMM chose {device}")
a, b = forces(ours), forces(reference)
scale = abs(b).max()
print(f"largest difference of a force: {abs(a - b).max() / scale:.2e} of the largest force")
expect(scale > 1, "the reference has no forces")
expect(abs(a - b).max() < 2e-3 * scale, "forces differ")
before = energy(ours)
ours.getIntegrator().step(200)
after = energy(ours)
print(f"energy before and after 200 steps: {before:.3f} {after:.3f} kJ/mol")
expect(abs(after - before) < 0.01 * abs(before), "energy isn't kept")

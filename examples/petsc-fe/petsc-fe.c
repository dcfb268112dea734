// Poisson's equation with PETSc's finite elements on several processes: residuals are integrated by PETSc
// itself, and by its kernels for OpenCL. Both solutions must agree, with the exact one and that of one
// process, too. Each process says how many times its kernels have run.
// petsc-fe [PETSc's options]          writes petsc-fe.png
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>
#include <png.h>
#include <stdarg.h>

#if PETSC_VERSION_MAJOR != 3 || PETSC_VERSION_MINOR != 18
#error "This gets around faults of PETSc 3.18, whose inner functions it uses. Other versions have others."
#endif

#define TOLERANCE 1e-4 // of two solutions' difference: the kernels compute with floats
#define REDUCTION 1e-6 // of the residual, until the solver ends
#define ERROR_MAX 1e-3 // from the exact solution, on a square of side 1: the elements are linear

enum {
    SIDE = 32,     // squares of two triangles along a side of a process's part
    RESIDUALS = 20 // that are timed
};

// PETSc 3.18 puts its kernel together from parts, and counts the NUL that ends each. So every driver is
// given the first part only, whose build fails. This takes the place of the library's function: it counts
// as the caller expects.
PetscErrorCode PetscSNPrintfCount(char *text, size_t size, const char format[], size_t *count, ...)
{
    va_list arguments;
    PetscFunctionBegin;
    va_start(arguments, count);
    PetscCall(PetscVSNPrintf(text, size, format, count, arguments));
    va_end(arguments);
    PetscCall(PetscStrlen(text, count));
    PetscFunctionReturn(0);
}

// PETSc's kernels are for this equation: div grad u = 4, of which x^2 + y^2 is the solution.
static PetscErrorCode exact(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt components,
                            PetscScalar *u, void *context)
{
    (void)dim, (void)time, (void)components, (void)context;
    u[0] = x[0] * x[0] + x[1] * x[1];
    return 0;
}

static void f0(PetscInt dim, PetscInt fields, PetscInt aux, const PetscInt uoff[], const PetscInt uoff_x[],
               const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aoff[],
               const PetscInt aoff_x[], const PetscScalar a[], const PetscScalar a_t[],
               const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt constants,
               const PetscScalar constant[], PetscScalar f[])
{
    f[0] = 4.0;
}

static void f1(PetscInt dim, PetscInt fields, PetscInt aux, const PetscInt uoff[], const PetscInt uoff_x[],
               const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aoff[],
               const PetscInt aoff_x[], const PetscScalar a[], const PetscScalar a_t[],
               const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt constants,
               const PetscScalar constant[], PetscScalar f[])
{
    for (PetscInt d = 0; d < dim; d++)
        f[d] = u_x[d];
}

static void g3(PetscInt dim, PetscInt fields, PetscInt aux, const PetscInt uoff[], const PetscInt uoff_x[],
               const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aoff[],
               const PetscInt aoff_x[], const PetscScalar a[], const PetscScalar a_t[],
               const PetscScalar a_x[], PetscReal t, PetscReal shift, const PetscReal x[], PetscInt constants,
               const PetscScalar constant[], PetscScalar g[])
{
    for (PetscInt d = 0; d < dim; d++)
        g[d * dim + d] = 1.0;
}

// Triangles in a row of `parts` unit squares, divided among the processes of comm. Debian's PETSc has no
// generator of meshes.
static PetscErrorCode make_mesh(MPI_Comm comm, int parts, DM *dm)
{
    PetscInt(*corners)[3];
    PetscReal(*places)[2];
    DM shared = NULL;
    int rank;
    PetscFunctionBeginUser;
    MPI_Comm_rank(comm, &rank);
    const int columns = SIDE * parts, row = columns + 1, vertices = row * (SIDE + 1);
    PetscCall(PetscMalloc2(2 * SIDE * columns, &corners, vertices, &places));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < columns; x++) {
            const PetscInt at = y * row + x, square[4] = {at, at + 1, at + row + 1, at + row};
            for (int i = 0; i < 3; i++) {
                corners[2 * (y * columns + x)][i] = square[i];
                corners[2 * (y * columns + x) + 1][i] = square[(i + 2) % 4];
            }
        }
    for (int i = 0; i < vertices; i++) {
        places[i][0] = (PetscReal)(i % row) / SIDE;
        places[i][1] = (PetscReal)(i / row) / SIDE;
    }
    PetscCall(DMPlexCreateFromCellListPetsc(comm, 2, rank ? 0 : 2 * SIDE * columns, rank ? 0 : vertices, 3,
                                            PETSC_TRUE, corners[0], 2, places[0], dm));
    PetscCall(PetscFree2(corners, places));
    PetscCall(DMPlexDistribute(*dm, 0, NULL, &shared));
    if (shared) { // NULL: one process
        PetscCall(DMDestroy(dm));
        *dm = shared;
    }
    PetscFunctionReturn(0);
}

// What DMPlexSNESComputeResidualFEM does, but with the geometry in one point of each triangle: PETSc's
// kernels want that, and PETSc 3.18 itself takes four. Cells beyond a multiple of a batch are PETSc's
// own.
static PetscErrorCode residual(DM dm, Vec x, Vec f, void *context)
{
    PetscFE elements = context;
    PetscFormKey key = {NULL, 0, 0, 0};
    PetscQuadrature point;
    PetscFEGeom *geometry, *chunk = NULL;
    PetscScalar *values, *results;
    PetscSection section;
    PetscInt first, end, batch;
    PetscDS system;
    DMField coordinates;
    IS cells;
    PetscFunctionBeginUser;
    PetscCall(DMGetDS(dm, &system));
    PetscCall(DMGetLocalSection(dm, &section));
    PetscCall(DMPlexGetHeightStratum(dm, 0, &first, &end));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, end - first, first, 1, &cells));
    PetscCall(PetscDTStroudConicalQuadrature(2, 1, 1, -1.0, 1.0, &point));
    PetscCall(DMGetCoordinateField(dm, &coordinates));
    PetscCall(DMFieldCreateFEGeom(coordinates, cells, point, PETSC_FALSE, &geometry));
    PetscCall(PetscMalloc2(3 * (end - first), &values, 3 * (end - first), &results));
    PetscCall(DMPlexInsertBoundaryValues(dm, PETSC_TRUE, x, 0, NULL, NULL, NULL));
    for (PetscInt c = first; c < end; c++) {
        PetscScalar *closure = NULL;
        PetscCall(DMPlexVecGetClosure(dm, section, x, c, NULL, &closure));
        PetscCall(PetscArraycpy(values + 3 * (c - first), closure, 3));
        PetscCall(DMPlexVecRestoreClosure(dm, section, x, c, NULL, &closure));
    }
    PetscCall(PetscFEGetTileSizes(elements, NULL, NULL, &batch, NULL));
    const PetscInt all = end - first, whole = all - all % batch, ends[3] = {0, whole, all};
    for (int part = 0; part < 2; part++) {
        const PetscInt from = ends[part], count = ends[part + 1] - from;
        PetscCall(PetscFEGeomGetChunk(geometry, from, from + count, &chunk));
        PetscCall(PetscArrayzero(results + 3 * from, 3 * count));
        PetscCall(PetscFEIntegrateResidual(system, key, count, chunk, values + 3 * from, NULL, NULL, NULL, 0,
                                           results + 3 * from));
        PetscCall(PetscFEGeomRestoreChunk(geometry, from, from + count, &chunk));
    }
    for (PetscInt c = first; c < end; c++)
        PetscCall(DMPlexVecSetClosure(dm, section, f, c, results + 3 * (c - first), ADD_ALL_VALUES));
    PetscCall(PetscFree2(values, results));
    PetscCall(PetscFEGeomDestroy(&geometry));
    PetscCall(PetscQuadratureDestroy(&point));
    PetscCall(ISDestroy(&cells));
    PetscFunctionReturn(0);
}

// *ms: of a residual at u, with the messages that it needs, of the slowest process.
static PetscErrorCode time_residuals(SNES snes, Vec u, double *ms)
{
    Vec result;
    PetscLogDouble start, end;
    const MPI_Comm comm = PetscObjectComm((PetscObject)snes);
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(u, &result));
    PetscCall(SNESComputeFunction(snes, u, result));
    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(PetscTime(&start));
    for (int i = 0; i < RESIDUALS; i++)
        PetscCall(SNESComputeFunction(snes, u, result));
    PetscCall(PetscTime(&end));
    *ms = 1e3 * (end - start) / RESIDUALS;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ms, 1, MPI_DOUBLE, MPI_MAX, comm));
    PetscCall(VecDestroy(&result));
    PetscFunctionReturn(0);
}

// mesh: of `parts` squares. prefix: of the options for the elements and the solver. *right: whether the
// solver has found the exact solution. *ms: as above.
static PetscErrorCode solve(DM mesh, int parts, const char *prefix, DM *dm, Vec *u, int *right, double *ms)
{
    const PetscInt boundary = 1;
    PetscErrorCode (*at_the_edge)(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) =
        exact;
    PetscFE elements;
    PetscDS system;
    DMLabel label;
    SNES snes;
    SNESConvergedReason reason;
    PetscReal error;
    const MPI_Comm comm = PetscObjectComm((PetscObject)mesh);
    PetscFunctionBeginUser;
    PetscCall(DMClone(mesh, dm));
    PetscCall(PetscFECreateDefault(comm, 2, 1, PETSC_TRUE, prefix, 0, &elements));
    PetscCall(DMSetField(*dm, 0, NULL, (PetscObject)elements));
    PetscCall(DMCreateDS(*dm));
    PetscCall(DMGetDS(*dm, &system));
    PetscCall(PetscDSSetResidual(system, 0, f0, f1));
    PetscCall(PetscDSSetJacobian(system, 0, 0, NULL, NULL, NULL, g3));
    PetscCall(DMCreateLabel(*dm, "edge"));
    PetscCall(DMGetLabel(*dm, "edge", &label));
    PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
    PetscCall(DMPlexLabelComplete(*dm, label));
    PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "edge", label, 1, &boundary, 0, 0, NULL,
                            (void (*)(void))exact, NULL, NULL, NULL));
    PetscCall(DMPlexSetSNESLocalFEM(*dm, NULL, NULL, NULL));
    // One batch: between two, PETSc's kernel has no barrier, and work-items overwrite what others still read.
    PetscCall(PetscFESetTileSizes(elements, 3, 16, 48, 1));
    PetscCall(DMSNESSetFunctionLocal(*dm, residual, elements));
    PetscCall(SNESCreate(comm, &snes));
    PetscCall(SNESSetOptionsPrefix(snes, prefix));
    PetscCall(SNESSetDM(snes, *dm));
    // PETSc's default of 1e-8 is beyond what kernels that compute with floats can reach.
    PetscCall(SNESSetTolerances(snes, PETSC_DEFAULT, REDUCTION, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(SNESSetFromOptions(snes));
    PetscCall(DMCreateGlobalVector(*dm, u));
    PetscCall(SNESSolve(snes, NULL, *u));
    PetscCall(DMComputeL2Diff(*dm, 0, &at_the_edge, NULL, *u, &error));
    PetscCall(SNESGetConvergedReason(snes, &reason));
    PetscCall(PetscPrintf(comm, "%serror %.2e, %s\n", prefix, (double)error, SNESConvergedReasons[reason]));
    *right = reason > 0 && error <= ERROR_MAX * PetscSqrtReal(parts);
    PetscCall(time_residuals(snes, *u, ms));
    PetscCall(SNESDestroy(&snes));
    PetscCall(PetscFEDestroy(&elements));
    PetscFunctionReturn(0);
}

// The solution at each vertex of the mesh, row by row; 0 where the vertex is another process's.
static PetscErrorCode values_of(DM dm, Vec u, int parts, PetscReal *values)
{
    PetscSection section, places;
    PetscInt first, end;
    Vec local, coordinates;
    const PetscScalar *value, *place;
    PetscFunctionBeginUser;
    PetscCall(DMGetLocalSection(dm, &section));
    PetscCall(DMGetCoordinateSection(dm, &places));
    PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
    PetscCall(DMGetLocalVector(dm, &local));
    PetscCall(DMGlobalToLocal(dm, u, INSERT_VALUES, local));
    PetscCall(DMPlexInsertBoundaryValues(dm, PETSC_TRUE, local, 0, NULL, NULL, NULL));
    PetscCall(DMPlexGetDepthStratum(dm, 0, &first, &end));
    PetscCall(VecGetArrayRead(local, &value));
    PetscCall(VecGetArrayRead(coordinates, &place));
    for (PetscInt v = first; v < end; v++) {
        PetscInt at, of;
        PetscCall(PetscSectionGetOffset(section, v, &at));
        PetscCall(PetscSectionGetOffset(places, v, &of));
        values[lround(place[of + 1] * SIDE) * (SIDE * parts + 1) + lround(place[of] * SIDE)] = value[at];
    }
    PetscCall(VecRestoreArrayRead(coordinates, &place));
    PetscCall(VecRestoreArrayRead(local, &value));
    PetscCall(DMRestoreLocalVector(dm, &local));
    PetscFunctionReturn(0);
}

// Process 0 solves the whole once more alone, with the same kernels. *difference: from that, at any vertex.
static PetscErrorCode compare_with_one_process(DM dm, Vec u, PetscReal *difference)
{
    PetscReal *values, *alone;
    int rank, ranks, solved = 1;
    PetscFunctionBeginUser;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    const int vertices = (SIDE * ranks + 1) * (SIDE + 1);
    PetscCall(PetscCalloc2(vertices, &values, vertices, &alone));
    PetscCall(values_of(dm, u, ranks, values));
    // No value of the solution is negative.
    PetscCallMPI(
        MPI_Reduce(rank ? values : MPI_IN_PLACE, values, vertices, MPIU_REAL, MPIU_MAX, 0, PETSC_COMM_WORLD));
    *difference = 0;
    if (rank == 0) {
        DM mesh, whole;
        Vec solution;
        double ms;
        PetscCall(make_mesh(PETSC_COMM_SELF, ranks, &mesh));
        PetscCall(solve(mesh, ranks, "opencl_", &whole, &solution, &solved, &ms));
        PetscCall(values_of(whole, solution, ranks, alone));
        PetscCall(VecDestroy(&solution));
        PetscCall(DMDestroy(&whole));
        PetscCall(DMDestroy(&mesh));
    }
    for (int v = 0; v < vertices && rank == 0; v++)
        *difference = PetscMax(*difference, PetscAbsReal(values[v] - alone[v]));
    *difference = solved ? *difference : PETSC_INFINITY;
    PetscCallMPI(MPI_Bcast(difference, 1, MPIU_REAL, 0, PETSC_COMM_WORLD));
    PetscCall(PetscFree2(values, alone));
    PetscFunctionReturn(0);
}

// Dark is 0, bright the largest value, with lines where the value is the same. Each process has a colour. *drawn: 0
// at process 0 if the picture can't be written.
static PetscErrorCode draw(const char *path, DM dm, Vec u, int *drawn)
{
    enum { ZOOM = 6, LEVELS = 12 };
    static const double tints[3][3] = {{1.0, 0.75, 0.55}, {0.6, 0.8, 1.0}, {0.75, 1.0, 0.65}};
    PetscSection section;
    PetscInt first, end;
    PetscReal most;
    Vec local;
    unsigned char *pixels;
    int rank, ranks;
    PetscFunctionBeginUser;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    const int width = SIDE * ranks * ZOOM, height = SIDE * ZOOM;
    PetscCall(PetscCalloc1(3 * width * height, &pixels));
    PetscCall(DMGetLocalSection(dm, &section));
    PetscCall(DMGetLocalVector(dm, &local));
    PetscCall(DMGlobalToLocal(dm, u, INSERT_VALUES, local));
    PetscCall(DMPlexInsertBoundaryValues(dm, PETSC_TRUE, local, 0, NULL, NULL, NULL));
    PetscCall(VecMax(u, NULL, &most));
    PetscCall(DMPlexGetHeightStratum(dm, 0, &first, &end));
    for (PetscInt c = first; c < end; c++) {
        PetscReal middle[2];
        PetscScalar *values = NULL;
        PetscCall(DMPlexComputeCellGeometryFVM(dm, c, NULL, middle, NULL));
        PetscCall(DMPlexVecGetClosure(dm, section, local, c, NULL, &values));
        const double low = PetscMin(values[0], PetscMin(values[1], values[2])) / most * LEVELS;
        const double high = PetscMax(values[0], PetscMax(values[1], values[2])) / most * LEVELS;
        const double line = floor(low) < floor(high) ? 0.6 : 1;
        const double light = line * PetscMin(1.0, (values[0] + values[1] + values[2]) / 3 / most);
        PetscCall(DMPlexVecRestoreClosure(dm, section, local, c, NULL, &values));
        const double x = middle[0] * SIDE, y = middle[1] * SIDE;
        const int lower = x - floor(x) > y - floor(y); // of the two triangles of a square
        for (int i = 0; i < ZOOM * ZOOM; i++)
            for (int k = 0; k < 3 && (i % ZOOM > i / ZOOM) == lower; k++)
                pixels[3 * ((height - 1 - (int)y * ZOOM - i / ZOOM) * width + (int)x * ZOOM + i % ZOOM) + k] =
                    (unsigned char)(255 * (0.3 + 0.7 * light) * tints[rank % 3][k]);
    }
    PetscCall(DMRestoreLocalVector(dm, &local));
    PetscCallMPI(MPI_Reduce(rank ? pixels : MPI_IN_PLACE, pixels, 3 * width * height, MPI_UNSIGNED_CHAR,
                            MPI_MAX, 0, PETSC_COMM_WORLD));
    png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    png.width = (png_uint_32)width;
    png.height = (png_uint_32)height;
    *drawn = rank != 0 || png_image_write_to_file(&png, path, 0, pixels, 0, NULL);
    if (!*drawn)
        fprintf(stderr, "petsc-fe: cannot write %s: %s\n", path, png.message);
    PetscCall(PetscFree(pixels));
    PetscFunctionReturn(0);
}

// What the command line and PETSC_OPTIONS don't say.
static PetscErrorCode set_defaults(void)
{
    static const char *const defaults[][2] = {{"-basic_petscspace_degree", "1"},
                                              {"-opencl_petscspace_degree", "1"},
                                              {"-opencl_petscfe_type", "opencl"}};
    PetscFunctionBeginUser;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        PetscBool is_set;
        PetscCall(PetscOptionsHasName(NULL, NULL, defaults[i][0], &is_set));
        if (!is_set)
            PetscCall(PetscOptionsSetValue(NULL, defaults[i][0], defaults[i][1]));
    }
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    DM dm[2], mesh;
    Vec u[2];
    PetscReal difference, from_one;
    PetscLogEvent event;
    PetscEventPerfInfo info = {0};
    int rank, ranks, solved[2], right, drawn = 0;
    double ms[2], kernel_ms;
    cl_uint platforms = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    if (clGetPlatformIDs(0, NULL, &platforms) != CL_SUCCESS ||
        platforms == 0) { // PETSc's error doesn't say so
        fprintf(stderr, "petsc-fe: there is no OpenCL platform (is a driver installed?)\n");
        MPI_Abort(PETSC_COMM_WORLD, 1);
    }
    PetscCall(set_defaults());
    PetscCall(PetscLogDefaultBegin());
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscCall(make_mesh(PETSC_COMM_WORLD, ranks, &mesh));
    PetscCall(solve(mesh, ranks, "basic_", &dm[0], &u[0], &solved[0], &ms[0]));
    PetscCall(solve(mesh, ranks, "opencl_", &dm[1], &u[1], &solved[1], &ms[1]));
    PetscCall(VecAXPY(u[0], -1.0, u[1]));
    PetscCall(VecNorm(u[0], NORM_INFINITY, &difference));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "difference %.2e\n", (double)difference));
    PetscCall(PetscLogEventGetId("OpenCL FEResidual", &event));
    if (event >= 0) // else elements on OpenCL were never made
        PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "process %d: %d launches, %.0f flops in %.2e s\n",
                                      rank, info.count, info.flops, info.time));
    PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, NULL));
    kernel_ms = 1e3 * info.time / PetscMax(1, info.count);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &kernel_ms, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    PetscCall(compare_with_one_process(dm[1], u[1], &from_one));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "difference from one process %.2e\n", (double)from_one));
    // Both solutions agree also if both are PETSc's own: then no process has launched a kernel.
    right = solved[0] && solved[1] && difference <= TOLERANCE && from_one <= TOLERANCE && info.count > 0;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD,
                    "%d process%s: %d triangles, %.2f ms a residual (its kernel %.2f ms; without OpenCL "
                    "%.2f ms), the result is %s\n",
                    ranks, ranks > 1 ? "es" : "", 2 * SIDE * SIDE * ranks, ms[1], kernel_ms, ms[0],
                    right ? "right" : "WRONG"));
    PetscCall(draw("petsc-fe.png", dm[1], u[1], &drawn));
    for (int i = 0; i < 2; i++) {
        PetscCall(VecDestroy(&u[i]));
        PetscCall(DMDestroy(&dm[i]));
    }
    PetscCall(DMDestroy(&mesh));
    PetscCall(PetscFinalize());
    return !(right && drawn);
}

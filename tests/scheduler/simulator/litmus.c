// Two threads that write and read two variables: what memory may show them (litmus.h).
#include "scheduler/simulator/litmus.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/simulator/virtual.h"

enum { ROUNDS = 300, SHOWN = 10 };

static enum litmus kind;
static _Atomic uint32_t data[ROUNDS], flag[ROUNDS], arrived[ROUNDS], ended;
static uint32_t read_by[2][ROUNDS];

// Both begin a round at about the same time.
static void meet(uint32_t round)
{
    atomic_fetch_add_explicit(&arrived[round], 1, memory_order_relaxed);
    while (atomic_load_explicit(&arrived[round], memory_order_relaxed) < 2)
        weft_arch_relax();
}

static void writer(void *arg)
{
    (void)arg;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        meet(k);
        atomic_store_explicit(&data[k], 1, memory_order_relaxed);
        if (kind == LITMUS_RELEASE_FENCE)
            atomic_thread_fence(memory_order_release);
        const bool releases = kind == LITMUS_RELEASE || kind == LITMUS_RELAXED_READ;
        atomic_store_explicit(&flag[k], 1, releases ? memory_order_release : memory_order_relaxed);
    }
    atomic_fetch_add(&ended, 1);
}

static void reader(void *arg)
{
    (void)arg;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        meet(k);
        const bool acquires = kind == LITMUS_RELEASE || kind == LITMUS_RELAXED_WRITE;
        while (!atomic_load_explicit(&flag[k], acquires ? memory_order_acquire : memory_order_relaxed))
            weft_arch_relax();
        if (kind == LITMUS_RELEASE_FENCE)
            atomic_thread_fence(memory_order_acquire);
        read_by[0][k] = atomic_load_explicit(&data[k], memory_order_relaxed);
    }
    atomic_fetch_add(&ended, 1);
}

// Each writes its own variable and reads the other one's.
static void both(_Atomic uint32_t *own, _Atomic uint32_t *other, uint32_t number)
{
    for (uint32_t k = 0; k < ROUNDS; k++) {
        meet(k);
        atomic_store_explicit(&own[k], 1, memory_order_release);
        if (kind == LITMUS_FENCES)
            atomic_thread_fence(memory_order_seq_cst);
        read_by[number][k] = atomic_load_explicit(&other[k], memory_order_acquire);
    }
    atomic_fetch_add(&ended, 1);
}

static void first(void *arg)
{
    (void)arg;
    both(data, flag, 0);
}

static void second(void *arg)
{
    (void)arg;
    both(flag, data, 1);
}

static void run(void *arg)
{
    (void)arg;
    const bool stores = kind == LITMUS_FENCES || kind == LITMUS_NO_FENCES;
    sim_spawn(stores ? first : writer, NULL);
    sim_spawn(stores ? second : reader, NULL);
    while (atomic_load(&ended) < 2)
        sim_pause(1000);
    for (uint32_t k = 0; k < ROUNDS; k++)
        if (!read_by[0][k] && !(stores && read_by[1][k]))
            _exit(SHOWN);
}

bool litmus_shows_old_values(enum litmus which, uint64_t seed)
{
    const pid_t pid = fork();
    if (pid == 0) {
        kind = which;
        sim_run(&(struct sim_machine){.processors = 3, .nodes = 1, .seed = seed, .wild = true, .weak = true},
                run, NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == SHOWN))
        abort(); // the simulator says why
    return status != 0;
}

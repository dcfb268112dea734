// Threads that share a table of descriptors which is Weft's own: what the application closes, opens or hands to
// its children is in another one.
#ifndef WEFT_RUNTIME_PRIVATE_FD_TABLE_H
#define WEFT_RUNTIME_PRIVATE_FD_TABLE_H

#include <pthread.h>
#include <stdbool.h>

// Zeroed: not started. In the hands of one thread at a time.
struct weft_own_thread {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    void (*fn)(void *arg); // to be run, or running; NULL: idle
    void *arg;
    bool running; // started and not yet ended
    bool stop;
};

// When the library is loaded, and before the pthread_atfork of who holds a lock of its own when it calls what follows.
void weft_private_fd_table_know_forks(void);

// Starts a thread in the table, with all signals blocked. false: there can't be one.
bool weft_own_thread_start(struct weft_own_thread *t);
// Calls fn(arg) on it, and returns when that has; on this thread when it isn't running.
void weft_own_thread_run(struct weft_own_thread *t, void (*fn)(void *arg), void *arg);
// Waits for its end. One that isn't running is fine.
void weft_own_thread_end(struct weft_own_thread *t);
// After fork, in the child: the thread is its parent's.
void weft_own_thread_forget(struct weft_own_thread *t);

// Calls fn(arg), which must be short and take no lock, in the table while its threads may be busy. Without effect
// when no thread has been started in it.
void weft_private_fd_table_call(void (*fn)(void *arg), void *arg);
// No thread is started any more; those that are running go on. At unload and exit.
void weft_private_fd_table_shutdown(void);

#endif

// Threads that share a private descriptor table: file descriptors that the application opens, closes or
// passes to its children are in another table.
#ifndef WEFT_RUNTIME_PRIVATE_FD_TABLE_H
#define WEFT_RUNTIME_PRIVATE_FD_TABLE_H

#include <pthread.h>
#include <stdbool.h>

// A thread in the private table. All zero: not started. Used by one thread at a time.
struct weft_private_thread {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    void (*fn)(void *arg); // the function to run, or that runs; NULL: idle
    void *arg;
    bool running; // started and not yet ended
    bool stop;
};

// Registers fork handlers. Called when the library is loaded. A caller that holds its own lock when it calls
// the functions below must register the handlers of that lock afterwards.
void weft_private_fd_table_know_forks(void);

// Starts a thread in the private table, with all signals blocked. False: it can't be started.
bool weft_private_thread_start(struct weft_private_thread *t);
// Calls fn(arg) on the thread and waits until it has returned. If the thread isn't running, calls fn on this
// one.
void weft_private_thread_run(struct weft_private_thread *t, void (*fn)(void *arg), void *arg);
// Ends the thread and waits for its end. Does nothing if it isn't running.
void weft_private_thread_end(struct weft_private_thread *t);
// After a fork, in the child: forgets the thread, which exists only in the parent.
void weft_private_thread_forget(struct weft_private_thread *t);

// Calls fn(arg) in the private table, even while its threads are busy. fn must be short and take no lock.
// Does nothing if no thread was started in the table.
void weft_private_fd_table_call(void (*fn)(void *arg), void *arg);
// From now on no thread is started. Running threads continue. Called at unload and exit.
void weft_private_fd_table_shutdown(void);

#endif

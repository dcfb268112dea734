// Calls of libraries that write to stderr: nothing arrives there, and the application's own text does.
#include "base/private_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "denied_call.h"
#include "harness.h"

static int pipe_ends[2];

static void stderr_into_a_pipe(void)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer knows only one table of descriptors");
    CHECK_EQ(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
    CHECK_EQ(dup2(pipe_ends[1], STDERR_FILENO), STDERR_FILENO);
}

// What has arrived.
static const char *arrived(void)
{
    static char text[256];
    ssize_t size = read(pipe_ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static void chatter(void *count)
{
    fputs("as a stream; ", stderr);
    CHECK_EQ(write(STDERR_FILENO, "as a file; ", 11), 11);
    ++*(int *)count;
}

TEST(nothing_of_a_silent_call_arrives)
{
    stderr_into_a_pipe();
    int count = 0;
    CHECK(weft_private_files_call_silently(chatter, &count));
    CHECK_EQ(count, 1);
    CHECK_STR(arrived(), "");
    chatter(&count);
    CHECK_STR(arrived(), "as a stream; as a file; ");
}

TEST(a_buffered_stream_keeps_only_the_applications_text)
{
    stderr_into_a_pipe();
    static char buffer[4096];
    int count = 0;
    setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
    fputs("before, ", stderr);
    CHECK(weft_private_files_call_silently(chatter, &count));
    fputs("after", stderr);
    fflush(stderr);
    CHECK_STR(arrived(), "before, after");
}

TEST(it_works_without_standard_streams)
{
    stderr_into_a_pipe();
    int count = 0;
    close(STDIN_FILENO);
    close(STDERR_FILENO);
    CHECK(weft_private_files_call_silently(chatter, &count));
    CHECK_EQ(count, 1);
    CHECK_EQ(fcntl(STDERR_FILENO, F_GETFD), -1);
    CHECK_STR(arrived(), "");
}

TEST(a_caller_that_has_locked_stderr_gets_an_answer)
{
    int count = 0;
    flockfile(stderr);
    CHECK(!weft_private_files_call_silently(chatter, &count));
    CHECK_EQ(count, 0);
    funlockfile(stderr);
}

// ---- Kernels before 5.9, and sandboxes, without close_range ----

// Opens a file that stays open in the table of the thread that it runs on.
static void open_and_chatter(void *fd)
{
    int count = 0;
    chatter(&count);
    *(int *)fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_GE(*(int *)fd, 0);
}

TEST(without_close_range_a_silent_call_has_a_copy_of_the_table)
{
    stderr_into_a_pipe();
    DENY_CALL(SYS_close_range, ENOSYS);
    int fd = -1;
    CHECK(weft_private_files_call_silently(open_and_chatter, &fd));
    CHECK_STR(arrived(), "");
    CHECK_EQ(fcntl(fd, F_GETFD), -1);
    CHECK_GE(fcntl(pipe_ends[0], F_GETFD), 0);
    int count = 0;
    chatter(&count);
    CHECK_STR(arrived(), "as a stream; as a file; ");
}

TEST(without_any_table_of_its_own_a_silent_call_is_not_made)
{
    stderr_into_a_pipe();
    DENY_CALL(SYS_close_range, ENOSYS);
    DENY_CALL(SYS_unshare, EPERM);
    int count = 0;
    CHECK(!weft_private_files_call_silently(chatter, &count));
    CHECK_EQ(count, 0);
    CHECK_STR(arrived(), "");
    CHECK_GE(fcntl(STDERR_FILENO, F_GETFD), 0);
}

static void note_thread(void *thread)
{
    *(pthread_t *)thread = pthread_self();
}

TEST(without_close_range_a_call_runs_on_the_callers_thread)
{
    DENY_CALL(SYS_close_range, ENOSYS);
    pthread_t thread = 0;
    weft_private_files_call(note_thread, &thread);
    CHECK(pthread_equal(thread, pthread_self()));
}

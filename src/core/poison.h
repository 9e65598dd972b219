/* Memory that is ours, and that nobody may touch: what an arena has not given out yet, and what a stack has
 * taken back. Under the address sanitizer a read or a write there ends the program, and red zones keep
 * neighbours apart; elsewhere nothing of this is there. */
#ifndef KANON_CORE_POISON_H
#define KANON_CORE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define KAN_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KAN_POISONS 1
#endif
#endif

#ifdef KAN_POISONS

#include <sanitizer/asan_interface.h>

/* Bytes between what is given out. */
enum { KAN_RED_ZONE = 16 };
#define KAN_POISON(bytes, size)   ASAN_POISON_MEMORY_REGION(bytes, size)
#define KAN_UNPOISON(bytes, size) ASAN_UNPOISON_MEMORY_REGION(bytes, size)

#else

enum { KAN_RED_ZONE = 0 };
#define KAN_POISON(bytes, size)   ((void)(bytes), (void)(size))
#define KAN_UNPOISON(bytes, size) ((void)(bytes), (void)(size))

#endif
#endif

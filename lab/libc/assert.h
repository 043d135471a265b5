/* A failed assertion stops the instance; the page says so. */
#undef assert
#ifdef NDEBUG
#define assert(ok) ((void)0)
#else
#define assert(ok) ((ok) ? (void)0 : __builtin_trap())
#endif

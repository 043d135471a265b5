#ifndef LAB_ERRNO_H
#define LAB_ERRNO_H

extern int errno;
#define ENOENT 2

#endif

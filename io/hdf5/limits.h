/* limits.h - how long texts and lists in result files may be */
#ifndef RC_IO_HDF5_LIMITS_H
#define RC_IO_HDF5_LIMITS_H

/* Bytes of a text: longer descriptions and reasons are cut, names are refused. */
#define RC_STORE_TEXT_MAX 16384

/* Items of any list: no file is that large. */
#define RC_STORE_ITEMS_MAX ((size_t)1 << 40)

#endif

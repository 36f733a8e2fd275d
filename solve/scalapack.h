/* scalapack.h - the C prototypes that ScaLAPACK, BLACS and LAPACK do not ship */
#ifndef RC_SOLVE_SCALAPACK_H
#define RC_SOLVE_SCALAPACK_H

#include <mpi.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);

int numroc_(const int *n, const int *block, const int *process, const int *source,
            const int *processes);
void descinit_(int *descriptor, const int *m, const int *n, const int *row_block,
               const int *column_block, const int *row_source, const int *column_source,
               const int *context, const int *leading, int *info);
void pdgels_(const char *trans, const int *m, const int *n, const int *right_hand_sides,
             double *a, const int *ia, const int *ja, const int *desc_a, double *b,
             const int *ib, const int *jb, const int *desc_b, double *work,
             const int *work_count, int *info);

void dgelsd_(const int *m, const int *n, const int *right_hand_sides, double *a,
             const int *lda, double *b, const int *ldb, double *singular,
             const double *least, int *rank, double *work, const int *work_count,
             int *whole, int *info);

#endif

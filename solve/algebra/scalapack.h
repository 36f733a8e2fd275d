/* scalapack.h - the C prototypes that ScaLAPACK, BLACS, LAPACK and BLAS do not ship
 *
 * Fortran's hidden lengths of strings are left out: all strings here are single
 * letters, and only their first character is read.
 */
#ifndef RC_SOLVE_ALGEBRA_SCALAPACK_H
#define RC_SOLVE_ALGEBRA_SCALAPACK_H

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
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, double *tau, double *work, const int *work_count,
              int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia,
              const int *ja, const int *desc_a, const double *tau, double *work,
              const int *work_count, int *info);
void pdgeqpf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, int *pivots, double *tau, double *work,
              const int *work_count, int *info);
void pdgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
             const int *k, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desc_a, const double *b, const int *ib,
             const int *jb, const int *desc_b, const double *beta, double *c,
             const int *ic, const int *jc, const int *desc_c);
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
             const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desc_a, double *b, const int *ib,
             const int *jb, const int *desc_b);

void dgeqrf_(const int *m, const int *n, double *a, const int *leading, double *tau,
             double *work, const int *work_count, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *leading,
             const double *tau, double *work, const int *work_count, int *info);
void dgeqp3_(const int *m, const int *n, double *a, const int *leading, int *pivots,
             double *tau, double *work, const int *work_count, int *info);
void dgesvd_(const char *job_u, const char *job_vt, const int *m, const int *n,
             double *a, const int *leading, double *s, double *u, const int *leading_u,
             double *vt, const int *leading_vt, double *work, const int *work_count,
             int *info);
void dpotrf_(const char *half, const int *n, double *a, const int *leading, int *info);
void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *leading_a,
            const double *b, const int *leading_b, const double *beta, double *c,
            const int *leading_c);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
            const int *m, const int *n, const double *alpha, const double *a,
            const int *leading_a, double *b, const int *leading_b);
double dnrm2_(const int *n, const double *x, const int *step);

void dgelsd_(const int *m, const int *n, const int *right_hand_sides, double *a,
             const int *lda, double *b, const int *ldb, double *singular,
             const double *least, int *rank, double *work, const int *work_count,
             int *whole, int *info);

#endif

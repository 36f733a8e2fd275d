/* methods.c - the methods that fit laws, by name */
#include "solve/model/parts.h"
#include "solve/model/peers.h"

const struct rc_laws_method rc_laws_methods[] = {
    {"rollcall",
     "sums of terms by their evidence, with intervals; exact laws of counts",
     rc_laws_rollcall},
    {"extra-p", "Extra-P's basic modelers: a term for each parameter, by leave-one-out",
     rc_laws_extrap},
    {"apmt", "APMT: a*x^m*log2^k(x) + b with the highest R^2", rc_laws_apmt},
    {"amdahl", "T = a/P + b*P^c + d, where P is the first parameter", rc_laws_amdahl},
    {"analytic", "T = a*size/P + b, where the size is the product of the others",
     rc_laws_analytic},
    {NULL, NULL, NULL},
};

/* A density as compiled Stan models offer it: BridgeStan's bs_log_density_gradient has this signature.

   cc -O3 -march=x86-64-v3 -shared -fPIC -o model.so model.c

   The model is a Gaussian with the standard deviations that `model` points to. */
#include <stdbool.h>

#define DIM 5

static const double deviations[DIM] = {1.0, 2.0, 0.5, 1.0, 3.0};

const void *model_construct(void) { return deviations; }

int log_density_gradient(const void *model, bool propto, bool jacobian, const double *x, double *value,
                         double *gradient, char **error) {
    const double *sd = model;
    *value = 0.0;
    for (int i = 0; i < DIM; i++) {
        gradient[i] = -x[i] / (sd[i] * sd[i]);
        *value += 0.5 * gradient[i] * x[i];
    }
    (void)propto, (void)jacobian, (void)error;
    return 0; /* anything else: the density could not be evaluated */
}

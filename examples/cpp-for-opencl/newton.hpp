// Newton's method in the complex plane: for the host's C++, and for C++ for OpenCL.
#ifndef NEWTON_HPP
#define NEWTON_HPP

struct Complex {
    float re, im;
    Complex operator+(Complex o) const
    {
        return {re + o.re, im + o.im};
    }
    Complex operator-(Complex o) const
    {
        return {re - o.re, im - o.im};
    }
    Complex operator*(Complex o) const
    {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
    Complex operator*(float f) const
    {
        return {re * f, im * f};
    }
    Complex operator/(Complex o) const
    {
        return Complex{re * o.re + im * o.im, im * o.re - re * o.im} * (1.0f / o.norm());
    }
    float norm() const
    {
        return re * re + im * im;
    }
};

// z to the power of N: a loop that the compiler unrolls.
template <int N> Complex power(Complex z)
{
    Complex product{1.0f, 0.0f};
    for (int i = 0; i < N; i++)
        product = product * z;
    return product;
}

// Looks for a solution of z^N = 1, beginning at z. z becomes the solution. Returns how many steps it took.
template <int N> int newton(Complex &z, int limit)
{
    const Complex one{1.0f, 0.0f};
    int steps = 0;
    for (; steps < limit && (power<N>(z) - one).norm() > 1e-6f; steps++)
        z = z - (power<N>(z) - one) / (power<N - 1>(z) * (float)N);
    return steps;
}

#endif

#ifndef SUBTICK_EXPORTS_H
#define SUBTICK_EXPORTS_H
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#endif

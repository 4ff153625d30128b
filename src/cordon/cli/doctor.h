#pragma once

// `cordon doctor`: what this machine offers and lacks for the sandbox.

namespace CLI {
class App;
}

namespace cordon::cli {

struct DoctorArguments {
  bool json = false;
};

void add_doctor(CLI::App& app, DoctorArguments& arguments);
int doctor(const DoctorArguments& arguments);

}  // namespace cordon::cli

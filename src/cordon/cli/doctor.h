#pragma once

// `cordon doctor`: what this machine offers and lacks for the sandbox.

namespace CLI {
class App;
}

namespace cordon::cli {

struct DoctorArguments {
  bool json = false;
};

void bind_doctor(CLI::App& command, DoctorArguments& arguments);
int doctor(const DoctorArguments& arguments);

}  // namespace cordon::cli

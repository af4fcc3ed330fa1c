// A pass for clang (-fpass-plugin) that turns a TT-Metalium kernel into code for this device. It
// runs before any optimisation, where every place that makes a pointer of an integer still is one
// inttoptr.
//
// 1. Device addresses. A kernel casts 32-bit L1 addresses to pointers, and every core sees its own
//    L1 at the same addresses. Each inttoptr of a value below 4 GiB, instruction or constant, gets
//    the running core's L1 base added. 0 stays the null pointer. Casts of pointers to 32 bits need
//    nothing: the base is a multiple of 4 GiB. Nothing is mapped below 4 GiB, so what is missed
//    faults.
// 2. Variables. On a device each kernel instance has its own variables, here all instances share
//    one loaded object. Every writable variable moves into a block that each instance keeps on its
//    own stack, initialised at each launch.
// 3. Constructors. Each instance runs them itself, after its variables are there.
// 4. Divisions and shifts. What C++ leaves undefined is what RISC-V computes, on every host.
// 5. Polling. Kernels share threads, so one that only looks at memory until somebody else changes
//    it would wait for ever. After optimisation, loops that read volatile memory and do nothing
//    else are made to let others run now and then. So are loops that end only when memory changes,
//    or never, whatever they do: while others run, the device sees that this one does not.
// 6. Loads and stores. Where the headers have functions that want to know of them, the pass calls
//    these for each access that may be to L1, after optimisation.
//
// The headers (kernel_headers/lightmetal/pass.h) give the functions this pass calls, and entry.h
// declares those it defines.
//
// Compiles against LLVM 14 to 19: it never asks what a pointer points to.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace {

using namespace llvm;  // as LLVM's own passes do

// Given by the headers, both always inlined.
constexpr char kL1Base[] = "lightmetal_l1_base";       // uint64_t(): what to add
constexpr char kVariables[] = "lightmetal_variables";  // void*(): this instance's block
// Defined here.
constexpr char kVariablesSize[] = "lightmetal_variables_size";  // uint64_t(): bytes of the block
constexpr char kInitVariables[] = "lightmetal_init_variables";  // void(): fills the block
constexpr char kRunConstructors[] = "lightmetal_run_constructors";  // void()

constexpr char kYield[] = "lightmetal_yield";  // void(): of the object that kernels are linked with

// void(const void*, uint64_t), given by the headers when they want to know.
constexpr char kLoaded[] = "lightmetal_l1_loaded";  // called before a load
constexpr char kStored[] = "lightmetal_l1_stored";  // called after a store

constexpr uint64_t kPollsPerYield = 256;  // a power of two
constexpr uint64_t kDeviceAddressEnd = uint64_t{1} << 32;
constexpr uint64_t kMaxVariablesSize = uint64_t{64} << 10;  // a quarter of an instance's stack
constexpr uint64_t kMaxVariableAlignment = 64;              // that of the block

// The debug location of code that stands for nothing in the source: the function's first line.
DebugLoc location_in(const Function& function) {
  DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr) return {};
  return DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
}

class Rebaser {
 public:
  explicit Rebaser(Module& module) : module_(module), context_(module.getContext()) {}

  void run() {
    find_variables();
    define_constructors();
    define_variables();
    for (Function& function : module_) {
      if (!function.isDeclaration()) rewrite(function);
    }
    hide_originals();
    for (const char* name : {kL1Base, kVariables}) hide_inlined(name);
  }

 private:
  // ---- What has to change ----

  static bool is_special(const GlobalVariable& variable) {
    return variable.getName().str().rfind("llvm.", 0) == 0;
  }

  // A constant that cannot stay one: it holds a device address or the address of a variable that
  // moves.
  bool changes(Constant* constant) {
    if (auto* variable = dyn_cast<GlobalVariable>(constant)) return offsets_.count(variable) != 0;
    if (isa<GlobalValue>(constant) || constant->getNumOperands() == 0) return false;
    if (auto known = changes_.find(constant); known != changes_.end()) return known->second;
    bool result = is_device_address(constant);
    for (Value* operand : constant->operands()) {
      if (auto* child = dyn_cast<Constant>(operand)) result = changes(child) || result;
    }
    return changes_[constant] = result;
  }

  static bool is_device_address(Constant* constant) {
    auto* expression = dyn_cast<ConstantExpr>(constant);
    return expression != nullptr && expression->getOpcode() == Instruction::IntToPtr;
  }

  // The writable variables, and the constants whose initial value is only known when an instance
  // starts.
  void find_variables() {
    for (GlobalVariable& variable : module_.globals()) {
      if (is_special(variable) || !variable.hasInitializer()) continue;
      if (variable.isThreadLocal()) {
        fail(variable, "is thread_local, which a kernel cannot have");
      } else if (!variable.isConstant()) {
        add_variable(variable);
      }
    }
    bool found = true;
    while (found) {
      found = false;
      changes_.clear();
      for (GlobalVariable& variable : module_.globals()) {
        if (is_special(variable) || !variable.hasInitializer() || offsets_.count(&variable))
          continue;
        if (!changes(variable.getInitializer())) continue;
        add_variable(variable);
        found = true;
      }
    }
    changes_.clear();
    for (GlobalAlias& alias : module_.aliases()) {
      auto* variable = dyn_cast_or_null<GlobalVariable>(alias.getAliaseeObject());
      if (variable != nullptr && offsets_.count(variable))
        fail(*variable, "has an alias, which a kernel cannot have");
    }
    if (size_ > kMaxVariablesSize) {
      context_.emitError("the kernel's variables take " + Twine(size_) + " bytes, at most " +
                         Twine(kMaxVariablesSize) + " fit");
    }
  }

  void add_variable(GlobalVariable& variable) {
    const DataLayout& layout = module_.getDataLayout();
    const uint64_t alignment = layout.getPreferredAlign(&variable).value();
    if (alignment > kMaxVariableAlignment) {
      fail(variable, "is aligned to more than 64 bytes");
    }
    size_ = (size_ + alignment - 1) / alignment * alignment;
    offsets_[&variable] = size_;
    variables_.push_back(&variable);
    size_ += layout.getTypeAllocSize(variable.getValueType());
  }

  void fail(const GlobalVariable& variable, const char* what) {
    context_.emitError("variable '" + demangle(variable.getName().str()) + "' " + what);
  }

  // ---- The functions that the prelude only declares ----

  // Gives `name` a body that is empty but for its return. Null when nothing declares it.
  Function* begin_definition(const char* name) {
    Function* function = module_.getFunction(name);
    if (function == nullptr || !function->isDeclaration()) return nullptr;
    BasicBlock::Create(context_, "entry", function);
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setVisibility(GlobalValue::DefaultVisibility);
    function->setDSOLocal(true);
    add_debug_info(*function);
    return function;
  }

  // Gives a function debug information: a call in it that is inlined into code with debug
  // information must have a location.
  void add_debug_info(Function& function) {
    if (module_.debug_compile_units().empty()) return;
    DICompileUnit* unit = *module_.debug_compile_units_begin();
    DIBuilder builder(module_, /*AllowUnresolved=*/false, unit);
    DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    DISubprogram* subprogram = builder.createFunction(
        unit->getFile(), function.getName(), function.getName(), unit->getFile(), 0, type, 0,
        DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
    function.setSubprogram(subprogram);
    builder.finalizeSubprogram(subprogram);
  }

  void define_constructors() {
    Function* function = begin_definition(kRunConstructors);
    if (function == nullptr) return;
    IRBuilder<> builder(&function->getEntryBlock());
    builder.SetCurrentDebugLocation(location_in(*function));
    if (GlobalVariable* list = module_.getGlobalVariable("llvm.global_ctors")) {
      for (Function* constructor : constructors(*list)) builder.CreateCall(constructor);
      list->eraseFromParent();
    }
    builder.CreateRetVoid();
  }

  // The constructors in the order in which they run: by priority, then as they were written.
  static std::vector<Function*> constructors(const GlobalVariable& list) {
    std::vector<std::pair<uint64_t, Function*>> found;
    if (list.hasInitializer() && isa<ConstantArray>(list.getInitializer())) {
      for (Value* entry : cast<ConstantArray>(list.getInitializer())->operands()) {
        auto* fields = cast<ConstantStruct>(entry);
        auto* function = dyn_cast<Function>(fields->getOperand(1)->stripPointerCasts());
        if (function == nullptr) continue;
        found.emplace_back(cast<ConstantInt>(fields->getOperand(0))->getZExtValue(), function);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Function*> result;
    for (const auto& [priority, function] : found) result.push_back(function);
    return result;
  }

  // Written in terms of the original variables: rewrite() turns them into places of the block.
  void define_variables() {
    if (Function* function = begin_definition(kVariablesSize)) {
      IRBuilder<> builder(&function->getEntryBlock());
      builder.SetCurrentDebugLocation(location_in(*function));
      builder.CreateRet(ConstantInt::get(function->getReturnType(), size_));
    }
    Function* function = begin_definition(kInitVariables);
    if (function == nullptr) return;
    IRBuilder<> builder(&function->getEntryBlock());
    builder.SetCurrentDebugLocation(location_in(*function));
    for (GlobalVariable* variable : variables_) initialise(builder, *variable);
    builder.CreateRetVoid();
  }

  void initialise(IRBuilder<>& builder, GlobalVariable& variable) {
    Constant* value = variable.getInitializer();
    const uint64_t size = module_.getDataLayout().getTypeAllocSize(value->getType());
    const MaybeAlign alignment(module_.getDataLayout().getPreferredAlign(&variable));
    if (isa<UndefValue>(value)) return;
    if (value->isNullValue()) {
      builder.CreateMemSet(&variable, builder.getInt8(0), size, alignment);
    } else if (changes(value)) {
      builder.CreateStore(value, &variable);
    } else {
      auto* image =
          new GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                             GlobalValue::PrivateLinkage, value, variable.getName() + ".initial");
      image->setAlignment(alignment);
      builder.CreateMemCpy(&variable, alignment, image, alignment, size);
    }
  }

  // Nothing uses the originals any more; as internal ones they go.
  void hide_originals() {
    for (GlobalVariable* variable : variables_) {
      variable->setComdat(nullptr);
      variable->eraseMetadata(LLVMContext::MD_dbg);  // A debugger would show what is not used.
      variable->setLinkage(GlobalValue::InternalLinkage);
      variable->setVisibility(GlobalValue::DefaultVisibility);
      variable->setInitializer(UndefValue::get(variable->getValueType()));
    }
  }

  // Code for a function that is inlined everywhere would be for nothing.
  void hide_inlined(const char* name) {
    Function* function = module_.getFunction(name);
    if (function == nullptr || function->isDeclaration()) return;
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setVisibility(GlobalValue::DefaultVisibility);
  }

  // ---- One function ----

  void rewrite(Function& function) {
    l1_base_ = nullptr;
    block_ = nullptr;
    expand_operands(function);
    std::vector<IntToPtrInst*> casts;
    std::vector<BinaryOperator*> operations;
    for (Instruction& instruction : instructions(function)) {
      define_operands(instruction);
      if (auto* cast = dyn_cast<IntToPtrInst>(&instruction)) casts.push_back(cast);
      if (auto* operation = dyn_cast<BinaryOperator>(&instruction)) operations.push_back(operation);
      if (auto* call = dyn_cast<CallBase>(&instruction)) keep_apart(*call);
    }
    for (IntToPtrInst* cast : casts) rebase(*cast);
    for (BinaryOperator* operation : operations) define(*operation);
  }

  // clang has folded a division of one constant by another that is zero before this pass runs, and
  // left nothing of its operands.
  static void define_operands(Instruction& instruction) {
    for (Use& use : instruction.operands()) {
      if (isa<PoisonValue>(use.get()) && use->getType()->isIntegerTy())
        use.set(Constant::getAllOnesValue(use->getType()));
    }
  }

  // Gives operations that C++ leaves undefined for some operands the results of RISC-V.
  static void define(BinaryOperator& operation) {
    if (operation.isIntDivRem()) define_division(operation);
    if (operation.isShift()) define_shift(operation);
  }

  // A division by zero gives all ones, and its remainder is the dividend; the least number divided
  // by -1 gives itself, and its remainder is 0. So does a division by 1.
  static void define_division(BinaryOperator& division) {
    const unsigned opcode = division.getOpcode();
    const bool is_signed = opcode == Instruction::SDiv || opcode == Instruction::SRem;
    const bool is_quotient = opcode == Instruction::SDiv || opcode == Instruction::UDiv;
    Type* type = division.getType();
    Value* dividend = division.getOperand(0);
    if (divides_always(division.getOperand(1), is_signed)) return;
    if (is_quotient) division.setIsExact(false);
    IRBuilder<> builder(&division);
    Value* divisor = builder.CreateFreeze(division.getOperand(1));
    Value* by_zero = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
    Value* undefined = by_zero;
    if (is_signed) undefined = builder.CreateOr(by_zero, overflows(builder, dividend, divisor));
    division.setOperand(1, builder.CreateSelect(undefined, ConstantInt::get(type, 1), divisor));
    builder.SetInsertPoint(division.getNextNode());
    Value* of_zero = is_quotient ? Constant::getAllOnesValue(type) : dividend;
    Value* result = builder.CreateSelect(by_zero, of_zero, &division);
    division.replaceUsesWithIf(result, [result](Use& use) { return use.getUser() != result; });
  }

  static bool divides_always(Value* divisor, bool is_signed) {
    const auto* number = dyn_cast<ConstantInt>(divisor);
    return number != nullptr && !number->isZero() && !(is_signed && number->isMinusOne());
  }

  static Value* overflows(IRBuilder<>& builder, Value* dividend, Value* divisor) {
    Type* type = dividend->getType();
    const APInt least = APInt::getSignedMinValue(type->getScalarSizeInBits());
    return builder.CreateAnd(builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)),
                             builder.CreateICmpEQ(dividend, ConstantInt::get(type, least)));
  }

  // Of the amount only as many bits count as the width has.
  static void define_shift(BinaryOperator& shift) {
    Type* type = shift.getType();
    const uint64_t width = type->getScalarSizeInBits();
    const auto* number = dyn_cast<ConstantInt>(shift.getOperand(1));
    if (!isPowerOf2_64(width) || (number != nullptr && number->getValue().ult(width))) return;
    IRBuilder<> builder(&shift);
    shift.setOperand(1, builder.CreateAnd(shift.getOperand(1), ConstantInt::get(type, width - 1)));
  }

  // Optimisation must not merge two calls into one: services fail launches, and an error names the
  // line of the call.
  static void keep_apart(CallBase& call) {
    if (!isa<IntrinsicInst>(call)) call.addFnAttr(Attribute::NoMerge);
  }

  // Makes instructions of the constants that change.
  void expand_operands(Function& function) {
    std::vector<Instruction*> all;
    for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
    for (Instruction* instruction : all) {
      if (auto* phi = dyn_cast<PHINode>(instruction)) {
        expand_phi(*phi);
        continue;
      }
      for (Use& use : instruction->operands()) {
        auto* constant = dyn_cast<Constant>(use.get());
        if (constant != nullptr && changes(constant)) use.set(expand(constant, instruction));
      }
    }
  }

  // The value of a phi is made where its edge comes from; edges from one block share it.
  void expand_phi(PHINode& phi) {
    DenseMap<BasicBlock*, Value*> made;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      auto* constant = dyn_cast<Constant>(phi.getIncomingValue(i));
      if (constant == nullptr || !changes(constant)) continue;
      Value*& value = made[phi.getIncomingBlock(i)];
      if (value == nullptr) value = expand(constant, phi.getIncomingBlock(i)->getTerminator());
      phi.setIncomingValue(i, value);
    }
  }

  Value* expand(Constant* constant, Instruction* before) {
    if (!changes(constant)) return constant;
    IRBuilder<> builder(before);
    if (auto* variable = dyn_cast<GlobalVariable>(constant)) {
      Value* place = builder.CreateConstInBoundsGEP1_64(
          builder.getInt8Ty(), block(*before->getFunction()), offsets_.lookup(variable));
      return builder.CreatePointerCast(place, variable->getType());
    }
    if (isa<ConstantStruct>(constant) || isa<ConstantArray>(constant)) {
      return expand_aggregate(constant, builder, before);
    }
    if (auto* expression = dyn_cast<ConstantExpr>(constant)) {
      return expand_expression(expression, before);
    }
    context_.emitError(before, "a device address inside a vector constant is not supported");
    return UndefValue::get(constant->getType());
  }

  Value* expand_aggregate(Constant* constant, IRBuilder<>& builder, Instruction* before) {
    Value* result = UndefValue::get(constant->getType());
    for (unsigned i = 0; i < constant->getNumOperands(); ++i) {
      result =
          builder.CreateInsertValue(result, expand(constant->getAggregateElement(i), before), i);
    }
    return result;
  }

  Value* expand_expression(ConstantExpr* expression, Instruction* before) {
    Instruction* instruction = expression->getAsInstruction();
    instruction->insertBefore(before);
    instruction->setDebugLoc(before->getDebugLoc());
    for (Use& use : instruction->operands()) {
      auto* operand = dyn_cast<Constant>(use.get());
      if (operand != nullptr && changes(operand)) use.set(expand(operand, instruction));
    }
    return instruction;
  }

  // value - 1 < 4 GiB - 1 holds for device addresses but 0.
  void rebase(IntToPtrInst& cast) {
    if (cast.getType()->isVectorTy()) {
      context_.emitError(&cast, "a vector of device addresses is not supported");
      return;
    }
    auto* constant = dyn_cast<ConstantInt>(cast.getOperand(0));
    if (constant != nullptr && constant->isZero()) return;
    IRBuilder<> builder(&cast);
    Type* word = builder.getInt64Ty();
    Value* value = builder.CreateZExtOrTrunc(cast.getOperand(0), word);
    Value* below = builder.CreateICmpULT(builder.CreateSub(value, ConstantInt::get(word, 1)),
                                         ConstantInt::get(word, kDeviceAddressEnd - 1));
    Value* base =
        builder.CreateSelect(below, l1_base(*cast.getFunction()), ConstantInt::get(word, 0));
    cast.setOperand(0, builder.CreateAdd(value, base));
  }

  // Neither changes while a function runs, so each is asked for once, at its start.
  Value* l1_base(Function& function) {
    if (l1_base_ == nullptr) l1_base_ = call_at_start(function, kL1Base);
    return l1_base_;
  }

  Value* block(Function& function) {
    if (block_ == nullptr) block_ = call_at_start(function, kVariables);
    return block_;
  }

  Value* call_at_start(Function& function, const char* name) {
    Function* callee = module_.getFunction(name);
    if (callee == nullptr) {
      context_.emitError(Twine("the kernel headers lack ") + name);
      return UndefValue::get(Type::getInt64Ty(context_));
    }
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    CallInst* call = builder.CreateCall(callee);
    call->setDebugLoc(location_in(function));
    return call;
  }

  Module& module_;
  LLVMContext& context_;
  SmallVector<GlobalVariable*, 16> variables_;   // those that move, in order
  DenseMap<GlobalVariable*, uint64_t> offsets_;  // their places in the block
  uint64_t size_ = 0;                            // of the block
  DenseMap<Constant*, bool> changes_;
  Value* l1_base_ = nullptr;  // of the function being rewritten
  Value* block_ = nullptr;
};

// The kernel's own stack, which nobody else sees. Code that is not optimised keeps all there.
const AllocaInst* own_memory(const Value* pointer) {
  return dyn_cast<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

bool may_change(const LoadInst& load) { return load.isVolatile() || load.isAtomic(); }

bool is_inline_assembly(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call != nullptr && call->isInlineAsm();
}

// Whether all that a loop does for others to see is reading memory that may change. Kernels write
// assembly to hold the compiler up, not to compute.
bool only_polls(const Loop& loop) {
  bool polls = false;
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      if (auto* load = dyn_cast<LoadInst>(&instruction)) {
        polls = polls || (may_change(*load) && own_memory(load->getPointerOperand()) == nullptr);
      } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
        if (own_memory(store->getPointerOperand()) == nullptr) return false;
      } else if (instruction.mayHaveSideEffects() && !isa<IntrinsicInst>(instruction) &&
                 !is_inline_assembly(instruction)) {
        return false;
      }
    }
  }
  return polls;
}

// Finds loops that end only when somebody else changes memory, whatever they do meanwhile: no
// condition of an exit changes from round to round by what the loop does itself. Loops without an
// exit are such loops.
class Waits {
 public:
  explicit Waits(const Loop& loop) : loop_(loop) {
    for (const BasicBlock* block : loop.blocks()) {
      for (const Instruction& instruction : *block) note_effects(instruction);
    }
  }

  bool for_others() {
    SmallVector<Loop::Edge, 4> exits;
    loop_.getExitEdges(exits);
    return std::none_of(exits.begin(), exits.end(), [this](const Loop::Edge& exit) {
      return !ends_kernel(*exit.second) && condition_changes(*exit.first);
    });
  }

 private:
  // A call that does not return, such as one that fails the launch.
  static bool ends_kernel(const BasicBlock& block) {
    return isa<UnreachableInst>(block.getTerminator());
  }

  void note_effects(const Instruction& instruction) {
    if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      const AllocaInst* own = own_memory(store->getPointerOperand());
      if (own == nullptr) changes_memory_ = true;
      if (own != nullptr) stored_[own].push_back(store->getValueOperand());
    } else if (isa<CallBase>(instruction) && instruction.mayHaveSideEffects()) {
      changes_memory_ = true;
    }
  }

  bool condition_changes(const BasicBlock& exiting) {
    const Instruction* end = exiting.getTerminator();
    if (auto* branch = dyn_cast<BranchInst>(end))
      return branch->isConditional() && changes(branch->getCondition());
    if (auto* choice = dyn_cast<SwitchInst>(end)) return changes(choice->getCondition());
    return true;
  }

  // Whether the loop itself gives the value another one from round to round.
  bool changes(const Value* value) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || !loop_.contains(instruction)) return false;
    if (on_path_.count(instruction) != 0) return true;  // it depends on itself
    if (!seen_.insert(instruction).second) return false;
    on_path_.insert(instruction);
    const bool result = result_changes(*instruction);
    on_path_.erase(instruction);
    return result;
  }

  bool result_changes(const Instruction& instruction) {
    if (auto* load = dyn_cast<LoadInst>(&instruction)) return loaded_value_changes(*load);
    if (auto* call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call))
      return !looks_at_memory(*call);
    if (auto* phi = dyn_cast<PHINode>(&instruction)) return phi_changes(*phi);
    return std::any_of(instruction.op_begin(), instruction.op_end(),
                       [this](const Use& use) { return changes(use.get()); });
  }

  bool loaded_value_changes(const LoadInst& load) {
    const AllocaInst* own = own_memory(load.getPointerOperand());
    if (own == nullptr) return !may_change(load) && changes_memory_;
    const auto stored = stored_.find(own);
    return stored != stored_.end() &&
           std::any_of(stored->second.begin(), stored->second.end(),
                       [this](const Value* value) { return changes(value); });
  }

  // A value that comes from a block inside the loop also depends on what leads there.
  bool phi_changes(const PHINode& phi) {
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const BasicBlock* from = phi.getIncomingBlock(i);
      if (!loop_.contains(from)) continue;
      if (phi.getIncomingValue(i) != &phi && changes(phi.getIncomingValue(i))) return true;
      if (phi.getParent() != loop_.getHeader() && condition_changes(*from)) return true;
    }
    return false;
  }

  // A function of the kernel's own that polls for its caller.
  static bool looks_at_memory(const CallBase& call) {
    const Function* callee = call.getCalledFunction();
    if (callee == nullptr || callee->isDeclaration()) return false;
    return std::any_of(inst_begin(callee), inst_end(callee), [](const Instruction& instruction) {
      const auto* load = dyn_cast<LoadInst>(&instruction);
      return load != nullptr && may_change(*load) &&
             own_memory(load->getPointerOperand()) == nullptr;
    });
  }

  const Loop& loop_;
  bool changes_memory_ = false;  // that is not the kernel's stack
  DenseMap<const AllocaInst*, SmallVector<const Value*, 2>> stored_;
  SmallPtrSet<const Instruction*, 16> seen_;
  SmallPtrSet<const Instruction*, 16> on_path_;
};

// Where a loop goes round, and the line that errors name when the kernel waits there.
struct Round {
  SmallVector<Instruction*, 4> ends;
  DebugLoc place;
};

DebugLoc place_or_function(const DebugLoc& place, const Function& function) {
  return place ? place : location_in(function);
}

DebugLoc last_place_in(const BasicBlock& block) {
  for (auto instruction = block.rbegin(); instruction != block.rend(); ++instruction) {
    if (instruction->getDebugLoc() && !isa<DbgInfoIntrinsic>(*instruction))
      return instruction->getDebugLoc();
  }
  return {};
}

// The loop's line, or that of what leads to a loop of which the optimiser has left nothing.
DebugLoc place_of(const Loop& loop) {
  DebugLoc place = loop.getStartLoc();
  for (const BasicBlock* block : loop.blocks()) {
    if (!place) place = last_place_in(*block);
  }
  SmallPtrSet<const BasicBlock*, 8> seen;
  const BasicBlock* before = loop.getLoopPredecessor();
  for (; !place && before != nullptr && seen.insert(before).second;
       before = before->getSinglePredecessor()) {
    place = last_place_in(*before);
  }
  return place_or_function(place, *loop.getHeader()->getParent());
}

Round round_of(const Loop& loop) {
  Round round;
  round.place = place_of(loop);
  SmallVector<BasicBlock*, 4> latches;
  loop.getLoopLatches(latches);
  for (BasicBlock* latch : latches) round.ends.push_back(latch->getTerminator());
  return round;
}

// Loops that are entered at several places are none to LoopInfo. Few kernels have one, so all of
// them let others run.
void add_irreducible_rounds(Function& function, const LoopInfo& loops,
                            SmallVectorImpl<Round>& rounds) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> edges;
  FindFunctionBackedges(function, edges);
  for (const auto& [from, to] : edges) {
    const Loop* loop = loops.getLoopFor(to);
    if (loop != nullptr && loop->getHeader() == to && loop->contains(from)) continue;
    auto* end = const_cast<Instruction*>(from->getTerminator());
    rounds.push_back({{end}, place_or_function(end->getDebugLoc(), function)});
  }
}

// Counts the rounds on the stack, and yields at the end of each kPollsPerYield-th round.
void add_yield(Instruction& end, AllocaInst& counter, FunctionCallee yield, const DebugLoc& place) {
  IRBuilder<> builder(&end);
  Value* count =
      builder.CreateAdd(builder.CreateLoad(builder.getInt32Ty(), &counter), builder.getInt32(1));
  builder.CreateStore(count, &counter);
  Value* rest = builder.CreateAnd(count, builder.getInt32(kPollsPerYield - 1));
  Value* due = builder.CreateICmpEQ(rest, builder.getInt32(0));
  IRBuilder<> then(SplitBlockAndInsertIfThen(due, &end, /*Unreachable=*/false));
  then.SetCurrentDebugLocation(place);
  then.CreateCall(yield);
}

void add_yields(Function& function, const Round& round, FunctionCallee yield) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst* counter = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "polls");
  builder.CreateStore(builder.getInt32(0), counter);
  for (Instruction* end : round.ends) add_yield(*end, *counter, yield, round.place);
}

// Announces what a function loads and stores.
class AccessAnnouncer {
 public:
  AccessAnnouncer(Function& loaded, Function& stored) : loaded_(loaded), stored_(stored) {}

  bool run(Function& function) {
    std::vector<Instruction*> all;
    for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
    for (Instruction* instruction : all) announce(*instruction);
    return announced_;
  }

 private:
  void announce(Instruction& instruction) {
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      before(instruction, load->getPointerOperand(), size_of(load->getType(), instruction));
    } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      after(instruction, store->getPointerOperand(),
            size_of(store->getValueOperand()->getType(), instruction));
    } else if (auto* change = dyn_cast<AtomicRMWInst>(&instruction)) {
      both(instruction, change->getPointerOperand(),
           size_of(change->getValOperand()->getType(), instruction));
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      both(instruction, exchange->getPointerOperand(),
           size_of(exchange->getNewValOperand()->getType(), instruction));
    } else if (auto* memory = dyn_cast<MemIntrinsic>(&instruction)) {
      if (auto* transfer = dyn_cast<MemTransferInst>(memory))
        before(instruction, transfer->getRawSource(), memory->getLength());
      after(instruction, memory->getRawDest(), memory->getLength());
    }
  }

  static Value* size_of(Type* type, Instruction& instruction) {
    const uint64_t size = instruction.getModule()->getDataLayout().getTypeStoreSize(type);
    return ConstantInt::get(Type::getInt64Ty(instruction.getContext()), size);
  }

  void both(Instruction& instruction, Value* place, Value* size) {
    before(instruction, place, size);
    after(instruction, place, size);
  }
  void before(Instruction& instruction, Value* place, Value* size) {
    IRBuilder<> builder(&instruction);
    call(builder, loaded_, place, size);
  }
  void after(Instruction& instruction, Value* place, Value* size) {
    IRBuilder<> builder(instruction.getNextNode());
    builder.SetCurrentDebugLocation(instruction.getDebugLoc());
    call(builder, stored_, place, size);
  }

  // The stack and constants are not in L1.
  void call(IRBuilder<>& builder, Function& callee, Value* place, Value* size) {
    const Value* object = getUnderlyingObject(place);
    if (isa<AllocaInst>(object) || isa<GlobalVariable>(object)) return;
    if (!builder.getCurrentDebugLocation())
      builder.SetCurrentDebugLocation(location_in(*builder.GetInsertBlock()->getParent()));
    builder.CreateCall(&callee, {builder.CreatePointerCast(place, callee.getArg(0)->getType()),
                                 builder.CreateZExtOrTrunc(size, callee.getArg(1)->getType())});
    announced_ = true;
  }

  Function& loaded_;
  Function& stored_;
  bool announced_ = false;
};

struct AccessPass : PassInfoMixin<AccessPass> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    Function* loaded = function.getParent()->getFunction(kLoaded);
    Function* stored = function.getParent()->getFunction(kStored);
    if (loaded == nullptr || stored == nullptr || &function == loaded || &function == stored)
      return PreservedAnalyses::all();
    return AccessAnnouncer(*loaded, *stored).run(function) ? PreservedAnalyses::none()
                                                           : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct PollingPass : PassInfoMixin<PollingPass> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
    SmallVector<Round, 4> rounds;
    for (const Loop* loop : loops.getLoopsInPreorder()) {
      if (only_polls(*loop) || Waits(*loop).for_others()) rounds.push_back(round_of(*loop));
    }
    add_irreducible_rounds(function, loops, rounds);
    if (rounds.empty()) return PreservedAnalyses::all();
    const FunctionCallee yield =
        function.getParent()->getOrInsertFunction(kYield, Type::getVoidTy(function.getContext()));
    for (const Round& round : rounds) add_yields(function, round, yield);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

struct RebasePass : PassInfoMixin<RebasePass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    Rebaser(module).run();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "lightmetal-rebase", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, auto...) { passes.addPass(RebasePass()); });
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, auto...) {
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(PollingPass()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(AccessPass()));
            });
          }};
}
